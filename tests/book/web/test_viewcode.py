"""The sources of modules are valid HTML."""

from __future__ import annotations

from web.viewcode import with_spans

BODY = (
    '<h1>Module</h1><div class="highlight"><pre>\n'
    '<div class="viewcode-block" id="A">\n<a class="viewcode-back" href="#">[docs]</a>\n'
    '<span class="k">class</span> A\n'
    '<div class="viewcode-block" id="A.b">\nb</div>\n</div>\n'
    "</pre></div>"
)


def test_what_stands_in_code_is_a_span_and_what_stands_around_it_stays():
    mended = with_spans(BODY)
    inside = mended[mended.index("<pre>") : mended.index("</pre>")]
    assert "div" not in inside
    assert inside.count("<span") == inside.count("</span>") == 3
    assert mended.count("<div") == mended.count("</div>") == 1
