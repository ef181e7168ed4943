"""Pseudocode blocks: their lines are numbered as they are printed, in every output."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest

from pcode.lines import Line, caption, lines, plain, statements
from support.mini import NODE_MODULES, ROOT, build, need_node_modules
from tex.worker import Worker

BLOCKS = {
    "/".join(path.parts[-3:]): path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "docs").glob("*/_algo_pcode/*.rst"))
}

CONTROL = r"""
.. pcode::
   :linenos:

   \begin{algorithm}
   \caption{The \texttt{Control} of $p$}
   \begin{algorithmic}
   \REQUIRE a number $x_0 \in \R,$ and more
   \ENSURE nothing
   % \STATE a remark
   \IF{$x_0 > 0$}
       \COMMENT{on the line of IF: $c_1$}
       \STATE $y \gets \{x_1\}$ \COMMENT{100\% of $c_2$}
   \ELIF{$x_3 = 0$}
       \STATE $\forall k:$ $y_k \gets 0$
   \ELSE
       \WHILE{$x_4 < 0$}
           \STATE
           \COMMENT{on its own line $c_3$}
           \BREAK
       \ENDWHILE
   \ENDIF
   \FORALL{$k \in [K]$}
       \REPEAT
           \PRINT $x_5$
       \UNTIL{$x_6 = \frac{1}{2}$}
   \ENDFOR
   \RETURN $y$
   \end{algorithmic}
   \end{algorithm}
"""

PAGE = """
Page
====

.. _pcode-control:

.. include:: _algo_pcode/control.rst

See :ref:`pcode-control`, which is :numref:`pcode-control`.
"""


def tex_of(rst: str) -> str:
    """The content of a pcode directive."""
    return dedent(rst[re.search(r"^ *\\begin\{algorithm\}", rst, re.MULTILINE).start() :])


def with_control(page: str) -> dict[str, str]:
    """A project of one page and the block above."""
    return {
        f"docs/{language}/{name}": text
        for language in ("en", "zh")
        for name, text in (("index.rst", page), ("_algo_pcode/control.rst", CONTROL))
    }


@pytest.fixture(scope="module")
def worker():
    """A Node process."""
    need_node_modules()
    worker = Worker(NODE_MODULES)
    yield worker
    worker.close()


def printed(html: str) -> dict[int, list[str]]:
    """What pseudocode.js prints: number of a line, its formulas."""
    found = {}
    for row in re.findall(r'<p class="ps-line ps-code".*?</p>', html, re.DOTALL):
        number = int(re.search(r'<span class="ps-linenum"[^>]*>(\d+):</span>', row)[1])
        assert number not in found
        found[number] = re.findall(r'<annotation encoding="application/x-tex">(.*?)<', row)
    return found


def formulas(line: Line) -> list[str]:
    """The formulas of a line, as they are escaped in HTML."""
    found = re.findall(r"\$([^$]*)\$", f"{line.text} {line.comment}")
    return [tex.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for tex in found]


@pytest.mark.parametrize("rst", [*BLOCKS.values(), CONTROL], ids=[*BLOCKS, "control"])
def test_numbers_are_those_that_are_printed(rst, worker):
    tex = tex_of(rst)
    options = {"lineNumber": True, "captionCount": 0}
    html = worker.render(kind="pcode", tex=tex, options=options, macros={r"\R": r"\mathbb{R}"})
    expected = {number: formulas(line) for number, line in lines(tex).items()}
    assert printed(html) == expected
    assert expected


def test_the_block_of_the_primal_dual_chapter_is_tested():
    assert {"en/_algo_pcode/fedpd.rst", "zh/_algo_pcode/fedpd.rst"} <= set(BLOCKS)


def test_lines():
    tex = tex_of(CONTROL)
    block = lines(tex)
    assert block[1] == Line(1, "IF", "$x_0 > 0$", "on the line of IF: $c_1$")
    assert block[2] == Line(2, "STATE", r"$y \gets \{x_1\}$", r"100\% of $c_2$")
    assert block[7] == Line(7, "STATE", "", "on its own line $c_3$")
    assert [line.keyword for line in statements(tex)[:3]] == ["REQUIRE", "ENSURE", "IF"]
    assert [line.keyword for line in block.values()][7:] == (
        ["BREAK", "ENDWHILE", "ENDIF", "FORALL", "REPEAT", "PRINT", "UNTIL", "ENDFOR", "RETURN"]
    )


def test_caption_and_plain():
    assert caption(tex_of(CONTROL)) == r"The \texttt{Control} of $p$"
    assert caption("no caption") == ""
    assert plain(r"The \texttt{Control} of $p$, $\theta_k$ \{a\}") == "The Control of p, {a}"


@pytest.mark.parametrize(
    "tex", [r"\begin{algorithm}\end{algorithm}", r"\begin{algorithmic}\FOR{x\end{algorithmic}"]
)
def test_what_is_no_block(tex):
    with pytest.raises(ValueError, match=r"one algorithmic environment|brace is not closed"):
        lines(tex)


@pytest.mark.parametrize(
    ("language", "number", "keywords"),
    [("en", "Algorithm 1", ("Require:", "for all")), ("zh", "算法 1", ("输入：", "对所有"))],
)
def test_html(tmp_path, language, number, keywords):
    done = build(tmp_path, with_control(PAGE), language)
    assert (done.returncode, done.warnings) == (0, "")
    html = (done.out / "index.html").read_text(encoding="utf-8")
    assert f'<span class="ps-keyword">{number} </span>' in html
    assert f'<span class="std std-numref">{number}</span>' in html
    assert '<span class="std std-ref">The Control of p</span>' in html
    assert 'id="pcode-control"' in html
    anchors = re.findall(r'id="pcode-control-l(\d+)"', html)
    assert anchors == [str(n) for n in lines(tex_of(CONTROL))]
    assert all(f'<span class="ps-keyword">{word}' in html for word in keywords)
    texts = (done.out / "_static" / "search_texts.js").read_text(encoding="utf-8")
    assert "x_0 > 0 on the line of IF: c_1" in texts


def test_chinese_words_of_a_line_close_up(tmp_path):
    block = CONTROL.replace(r"{$k \in [K]$}", r"{子节点 $k$ {\bfseries 并行}}")
    done = build(tmp_path, {"docs/zh/index.rst": f"页面\n====\n{block}"}, "zh")
    assert (done.returncode, done.warnings) == (0, "")
    html = (done.out / "index.html").read_text(encoding="utf-8")
    assert re.search(r'<span class="ps-keyword">对所有</span>子节点 <', html)
    assert "并行执行" in re.sub(r"<[^>]*>", "", html)


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", r"\algorithmicrequire}{\textbf{Require:}}"), ("zh", r"\floatname{algorithm}{算法}")],
)
def test_in_print(tmp_path, language, words):
    done = build(tmp_path, with_control(PAGE), language, builder="latex")
    assert (done.returncode, done.warnings) == (0, "")
    tex = (done.out / f"fl_algos-{language}.tex").read_text(encoding="utf-8")
    assert r"\IF[on the line of IF: $c_1$]{$x_0 > 0$}" in tex
    assert r"\label{\detokenize{index:pcode-control}}" in tex
    assert words in tex
    assert (r"\usepackage{xeCJK}" in tex) == (language == "zh")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((r"\ELSE", r"\OTHERWISE"), "pcode: Error: "),
        ((r"\gets \{x_1\}", r"\undefined"), "Undefined control sequence"),
        ((r"\PRINT", r"\print"), "16 lines are printed, but 15 are counted"),
        ((r"\begin{algorithmic}", ""), "one algorithmic environment"),
    ],
)
def test_mistakes_are_warnings_with_their_place(tmp_path, change, message):
    files = {name: text.replace(*change) for name, text in with_control(PAGE).items()}
    done = build(tmp_path, files)
    assert done.returncode == 1
    assert message in done.warnings
    assert re.search(r"(control|index)\.rst:\d+: WARNING", done.warnings)


def test_missing_node_modules_say_what_to_do(tmp_path):
    options = ["-D", f"tex_node_modules={tmp_path}"]
    done = build(tmp_path, {"docs/en/index.rst": "Page\n====\n"}, options=options)
    assert done.returncode == 2
    assert "run `make book`" in done.warnings
