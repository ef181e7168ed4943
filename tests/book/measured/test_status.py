"""The status page says what the build took and ran on, and not on whose machine."""

from __future__ import annotations

import html
import os
import platform
import re
import socket
from importlib.metadata import version

from measured.machine import processor
from measured.status import hardware
from support.mini import build, notebook

STATUS = """
Status
======

.. build-status:: notebooks

.. build-status:: versions

.. build-status:: hardware
"""


def files(seconds, title="# Page"):
    page = notebook(f"import time\ntime.sleep({seconds})").replace("# Page", title)
    return {
        "docs/en/index.rst": "Home\n====\n\n.. toctree::\n\n   status\n   notebooks/page\n",
        "docs/en/status.rst": STATUS,
        "notebooks/en/page.ipynb": page,
        "notebooks/zh/page.ipynb": page,
    }


def tables(out):
    page = (out / "status.html").read_text(encoding="utf-8")
    return [
        [
            [html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for cell in cells]
            for row in re.findall(r"(?s)<tr.*?</tr>", table)
            if (cells := re.findall(r"(?s)<t[hd].*?</t[hd]>", row))
        ]
        for table in re.findall(r"(?s)<table.*?</table>", page)
    ]


def test_run_times_versions_and_hardware(tmp_path):
    for seconds in (2, 4):  # the second time only the notebook has changed
        done = build(tmp_path, files(seconds))
        assert (done.returncode, done.warnings) == (0, "")
        notebooks, versions, machine = tables(done.out)
        assert notebooks[0] == ["Notebook", "Run time", "Day of the run"]
        assert notebooks[1][0] == "Page"
        assert float(notebooks[1][1].removesuffix(" s")) >= seconds
        assert notebooks[2:] == [["Together", notebooks[1][1], ""]]
        assert ["numpy", version("numpy")] in versions
        assert ["Python", platform.python_version()] in versions
        assert ["Cores", str(os.cpu_count())] in machine
    chinese = build(tmp_path, files(4), "zh")
    assert tables(chinese.out)[0][0] == ["笔记本", "用时", "运行日期"]
    assert tables(chinese.out)[0][1][1] == notebooks[1][1]  # the same run
    assert tables(chinese.out)[0][2][0] == "合计"


def test_an_unknown_kind_is_a_warning(tmp_path):
    result = build(tmp_path, {"docs/en/index.rst": "Home\n====\n\n.. build-status:: speed\n"})
    assert result.returncode != 0
    message = 'WARNING: build-status: "speed" unknown; choose from "notebooks", "versions", or'
    assert message in result.warnings
    assert "[build_status]" in result.warnings


def test_the_machine_is_described_and_not_named():
    assert processor()
    values = " ".join(value for _, value in hardware())
    assert len(hardware()) == 4
    assert socket.gethostname() not in values
