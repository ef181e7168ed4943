"""A pseudocode block stands beside the code that carries it out, each linked to the other."""

from __future__ import annotations

import re

from support.mini import build

PAGE = """
Page
====

.. beside:: demo.Demo

   .. _pcode-demo:

   .. include:: _algo_pcode/demo.rst
"""

BLOCK = r"""
.. pcode::
   :linenos:

   \begin{algorithm}
   \caption{Demo}
   \begin{algorithmic}
   \STATE $x \gets x_0$
   \IF{$x < 1$}
       \STATE $x \gets 1$
   \ENDIF
   \end{algorithmic}
   \end{algorithm}
"""

DEMO = '''
class Demo:
    def init(self, theta):
        """Not shown."""
        return theta  # 1

    def round(self, theta):
        """Not shown,

        on several lines.
        """
        if theta < 1:  # 2, 3
            theta = 1  # other than a number
        return theta
'''

FILES = {"docs/en/index.rst": PAGE, "docs/en/_algo_pcode/demo.rst": BLOCK}


def test_beside(tmp_path):
    (tmp_path / "demo.py").write_text(DEMO)
    done = build(tmp_path, FILES, pythonpath=tmp_path)
    assert (done.returncode, done.warnings) == (0, "")
    html = (done.out / "index.html").read_text(encoding="utf-8")
    assert 'data-lines="2 3" style="--indent: 4"' in html
    assert '# <a href="#pcode-demo-l2">2</a>, <a href="#pcode-demo-l3">3</a>' in html
    assert "other than a number" in html
    assert "Not shown" not in html


def test_beside_reads_the_page_again_when_the_source_changes(tmp_path):
    module = tmp_path / "demo.py"
    module.write_text(DEMO)
    build(tmp_path, FILES, pythonpath=tmp_path)
    module.write_text(DEMO.replace("theta < 1", "theta < 7777"))
    done = build(tmp_path, FILES, pythonpath=tmp_path)
    assert "7777" in (done.out / "index.html").read_text(encoding="utf-8")


def test_beside_warns_about_an_unknown_class(tmp_path):
    done = build(tmp_path, FILES)
    assert done.returncode == 1
    warning = r"index\.rst:5: WARNING: beside: demo\.Demo: No module.*\[beside\]"
    assert re.search(warning, done.warnings)
