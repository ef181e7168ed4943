"""A Chinese sentence names the authors of what it cites in Chinese."""

from __future__ import annotations

import re

import pytest

from support.mini import build

AUTHORS = {
    "one": "Nesterov, Yurii",
    "two": "Hu, Zhengmian and Huang, Heng",
    "three": "Zhang, Xinwei and Hong, Mingyi and Yin, Wotao",
}
BIB = "".join(
    f"@misc{{{key}, author = {{{names}}}, title = {{Some}}, year = {{2021}}}}\n"
    for key, names in AUTHORS.items()
)
PAGE = """\
首页
====

可参阅 :footcite:ct:`one` 的书、:footcite:t:`two` 的论文和 :footcite:ct:`three` 的论文。

.. footbibliography::
"""


def sentence(html):
    text = re.search(r"<p[^>]*>(可参阅.*?)</p>", html, re.DOTALL)[1]
    return re.sub(r"<[^>]*>", "", text).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("language", "two", "three"),
    [("zh", "Hu 与 Huang", "Zhang 等"), ("en", "Hu and Huang", "Zhang et al.")],
)
def test_the_names_are_joined_in_the_language_of_the_page(tmp_path, language, two, three):
    files = {"docs/zh/index.rst": PAGE, "references.bib": BIB}
    done = build(tmp_path, files, language)
    assert (done.returncode, done.warnings) == (0, "")
    html = (done.out / "index.html").read_text(encoding="utf-8")
    for name in ("Nesterov[1]", f"{two}[2]", f"{three}[3]"):
        assert name in sentence(html)
    # What is listed is as it was published.
    assert "Zhengmian Hu and Heng Huang" in html
