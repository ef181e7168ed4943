"""The table of algorithms: its figures are measured, and what doesn't fit is a warning."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from measured.algorithm_figures import parse_call, value_of
from support.mini import build

CALLS = {
    "fedpd.FedPD": "s=1.0, p=0.3",
    "proxskip.ProxSkip": "gamma=0.5, p=0.3, R=2, corrected=True",
    "scaffnew.Scaffnew": "gamma=0.5, p=0.02",
    "gradient_descent.GradientDescent": "gamma=0.5",
}
API = "".join(f"\n.. py:class:: fl_algos.algorithms.{path}\n" for path in CALLS)
REAL = [
    f"{path.split('.')[1]}({arguments}): linear for :math:`f_k \\in \\mathcal{{F}}`; *see there*"
    for path, arguments in CALLS.items()
]

FOUR = [path.split(".")[1] for path in CALLS]

# Four algorithms of fl_algos, and some that do what none of them does.
DEMO = """
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from fl_algos import FedPD, GradientDescent, ProxSkip, Scaffnew, Server, random_quadratics, run

__all__ = ["Server", "random_quadratics", "run"]


class State(NamedTuple):
    theta: np.ndarray
    theta_k: np.ndarray
    c_k: np.ndarray
    h_k0: np.ndarray
    n_k: np.ndarray
    kind: str


@dataclass(frozen=True)
class Plain:
    up: int = 1
    down: int = 1
    cut: int = 0
    implied: int = 0
    every: int = 1

    def init(self, theta, K):
        theta_k = np.zeros((K, len(theta)))
        return State(theta, theta_k, theta_k, theta_k, np.zeros(K), "")

    def round(self, state, problem, server, draw):
        if draw.t % self.every:
            return state
        rows_k = state.theta_k[:, : self.cut], *[state.theta_k] * self.up
        server.average(*rows_k, implied=self.implied)
        if self.down:
            server.broadcast(*[state.theta] * self.down)
        return state


class Seldom(Plain):
    pass


@dataclass(frozen=True)
class Partial(Plain):
    samples_clients: ClassVar[bool] = True
    least: int = 1

    def enough(self, draw):
        return len(draw.clients) >= self.least

    def round(self, state, problem, server, draw):
        if not self.enough(draw):
            raise ValueError("too few clients")
        return super().round(state, problem, server, draw)
"""


PAGE = f"\nPage\n====\n\n.. algorithm-table::\n{API}"
"""A page with the table, whose directive is on line 5."""


def files_of(rows, language="en"):
    """That page, and a description for each row: what makes an algorithm, and the theory."""
    described = {
        f"docs/descriptions/row{number}.toml": description(*row.split(": ", 1))
        for number, row in enumerate(rows)
    }
    return {f"docs/{language}/index.rst": PAGE, **described}


def description(call, theory="x"):
    """A description whose texts are all the same."""
    keys = ("name", "sends", "keeps", "hyperparameters", "theory")
    words = "".join(f"{key} = '''{theory}'''\n" for key in keys)
    return f"call = '''{call}'''\n\n[en]\n{words}\n[zh]\n{words}"


def cells(done):
    """The texts of the table's cells, row by row, from the XML."""
    root = ElementTree.parse(done.out / "index.xml").getroot()
    return [
        ["".join(entry.itertext()).strip() for entry in row.findall("entry")]
        for row in root.iter("row")
    ]


def table_of(tmp_path, rows, language="en", **options):
    """The cells of a table that is built without warnings."""
    done = build(tmp_path, files_of(rows, language), language, "xml", **options)
    assert (done.returncode, done.warnings) == (0, "")
    return cells(done)


def warnings_of(tmp_path, files, **options):
    """The warnings of a book that must have some."""
    done = build(tmp_path, files, builder="xml", **options)
    assert done.returncode == 1
    return done.warnings.splitlines()


def exporting(folder, names, source=DEMO):
    """How to build with the package above, which exports the algorithms with these names."""
    exported = source.replace('["Server"', f'{list(names)!r} + ["Server"')
    (folder / "demo").mkdir(exist_ok=True)
    (folder / "demo" / "__init__.py").write_text(exported)
    return {"pythonpath": folder, "options": ["-D", "algorithm_table_package=demo"]}


@pytest.fixture
def demo(tmp_path):
    """The same in the folder of a test."""
    return lambda *names, **source: exporting(tmp_path, names, **source)


def test_figures(tmp_path, demo):
    head, *rows = table_of(tmp_path, REAL, **demo(*FOUR))
    theory = r"linear for f_k \in \mathcal{F}; see there"
    assert head == [
        "Algorithm",
        "Up",
        "Down",
        "Memory",
        "Hyperparameters",
        "Sampling",
        "Theory",
    ]
    assert rows == [
        ["FedPD", "d", "d", "3", "s, p, oracle", "no", theory],
        ["ProxSkip", "d", "d", "2", "gamma, p, R, corrected", "no", theory],
        ["Scaffnew", "d", "d", "2", "gamma, p", "no", theory],
        ["GradientDescent", "d", "d", "1", "gamma", "no", theory],
    ]


def test_chinese(tmp_path, demo):
    rows = [*REAL[1:], "FedPD(s=1.0): 对凸的:math:`f_k`收敛"]
    head, *rows = table_of(tmp_path, rows, "zh", **demo(*FOUR))
    assert head == [
        "算法",
        "上传",
        "下发",
        "保存",
        "超参数",
        "部分参与",
        "理论",
    ]
    assert rows[-1] == ["FedPD", "d", "d", "3", "s, p, oracle", "否", "对凸的f_k收敛"]


def test_html(tmp_path, demo):
    done = build(tmp_path, files_of(REAL), **demo(*FOUR))
    assert (done.returncode, done.warnings) == (0, "")
    html = (done.out / "index.html").read_text(encoding="utf-8")
    link = r'href="#fl_algos\.algorithms\.fedpd\.FedPD"[^>]*><code[^>]*><span[^>]*>FedPD</span>'
    assert re.search(link, html)
    tex = '<annotation encoding="application/x-tex">{}</annotation>'
    assert html.count(tex.format(r"f_k \in \mathcal{F}")) == 4
    assert html.count(tex.format("d")) == 8
    assert "<em>see there</em>" in html
    assert re.search(r'<code[^>]*><span class="pre">corrected</span></code>', html)


def test_latex(tmp_path, demo):
    done = build(tmp_path, files_of(REAL), builder="latex", **demo(*FOUR))
    assert (done.returncode, done.warnings) == (0, "")
    tex = (done.out / "fl_algos-en.tex").read_text(encoding="utf-8")
    assert tex.count(r"linear for \(f_k \in \mathcal{F}\)") == 4


def test_text(tmp_path, demo):
    done = build(tmp_path, files_of(REAL), builder="text", **demo(*FOUR))
    assert (done.returncode, done.warnings) == (0, "")
    text = (done.out / "index.txt").read_text(encoding="utf-8")
    words = (
        "Memory",
        "Hyperparameters",
        "Sampling",
        '"GradientDescent"',
        '"corrected"',
    )
    assert all(word in text for word in words)


def test_seldom_communication_and_several_vectors(tmp_path, demo):
    rows = ["Plain(up=2, down=3, every=150): rare", "Partial(down=0): some"]
    _, plain, partial = table_of(tmp_path, rows, **demo("Plain", "Partial"))
    assert plain == ["Plain", "2d", "3d", "3", "up, down, cut, implied, every", "no", "rare"]
    names = "up, down, cut, implied, every, least"
    assert partial == ["Partial", "d", "0", "3", names, "yes", "some"]


def test_vectors_that_are_sent_but_not_needed(tmp_path, demo):
    rows = ["Plain(up=3, implied=2): x", "Partial(implied=1): y"]
    _, plain, partial = table_of(tmp_path, rows, **demo("Plain", "Partial"))
    assert (plain[1], partial[1]) == ("3d (d needed)", "d (0 needed)")


def test_in_chinese(tmp_path, demo):
    _, partial = table_of(tmp_path, ["Partial(up=2, implied=1): 部分"], "zh", **demo("Partial"))
    assert (partial[1], partial[5]) == ("2d（必需d）", "是")


def test_a_missing_description(tmp_path):
    warnings = "\n".join(warnings_of(tmp_path, files_of(REAL[1:])))
    expected = "index.rst:5: WARNING: algorithm-table: FedPD has no description [algorithm_table]"
    assert expected in warnings
    assert not re.search("(ProxSkip|Scaffnew|GradientDescent|GD|Server) has no desc", warnings)


FAULTY = {
    "Nobody()": "demo exports no algorithm Nobody",
    "Server(K=4)": "demo exports no algorithm Server",
    "FedPD(s=0.5)": "FedPD has another description",
    "Scaffnew(gamma=-1.0, p=0.5)": "gamma = -1.0",
    "ProxSkip(q=1.0)": "unexpected keyword argument 'q'",
    "GradientDescent(gamma=1e300)": "is not finite",
    "Plain(cut=3)": "1.43 d numbers up are no multiple of d",
    "Seldom(every=300)": "4 communications in 1000 rounds are too few",
    "Partial(least=3)": "too few clients",
}
"""Calls in descriptions, and what they are warned of."""
LACKING = [
    ("call = ", "cal = ", "call, en, zh are expected, cal, call differ"),
    ("[zh]", "[fr]", "call, en, zh are expected, fr, zh differ"),
    ("[en]\nname", "[en]\nnames", "are expected, name, names differ"),
    ("[en]\nname", "[en\nname", "Expected ']'"),
    ("[en]\nname = '''x'''", "[en]\nname = 3", "3: a text is expected"),
    ("[en]\nname = '''x'''", "[en]\nname = ' '", "' ': a text is expected"),
]
"""What is changed in a description, and what it is then warned of."""


@pytest.fixture(scope="module")
def warned(tmp_path_factory):
    """The warnings of a book in which all but one of the descriptions have a fault."""
    folder = tmp_path_factory.mktemp("faulty")
    files = files_of([REAL[0], *FAULTY])
    for number, (sound, faulty, _) in enumerate(LACKING):
        text = description("Nobody()")
        assert text.count(sound) == 1
        files[f"docs/descriptions/lacking{number}.toml"] = text.replace(sound, faulty)
    exported = (*FOUR, "Plain", "Seldom", "Partial")
    warnings = warnings_of(folder, files, **exporting(folder, exported))
    assert len(warnings) == len(FAULTY) + len(LACKING)
    return warnings


@pytest.mark.parametrize("call", FAULTY)
def test_a_description_without_a_row(warned, call):
    number = 1 + [*FAULTY].index(call)
    (warning,) = (each for each in warned if f"row{number}.toml:1: WARNING: " in each)
    assert "WARNING: algorithm-table: " in warning
    assert FAULTY[call] in warning


@pytest.mark.parametrize("number", range(len(LACKING)))
def test_a_description_that_lacks_something(warned, number):
    name = f"lacking{number}.toml"
    (warning,) = (each for each in warned if f"{name}:1: WARNING: algorithm-table: {name}" in each)
    assert LACKING[number][-1] in warning


def test_the_page_is_read_again_when_the_package_changes(tmp_path, demo):
    table_of(tmp_path, ["Plain(): x"], **demo("Plain"))
    source = DEMO.replace("down: int = 1", "down: int = 2")
    _, plain = table_of(tmp_path, ["Plain(): x"], **demo("Plain", source=source))
    assert plain[2] == "2d"


def value(text):
    """What a call stands for."""
    return value_of(parse_call(text), {"A": dict, "b": len})


def test_arguments():
    assert value("A(x=-1.0, y=[1, None], z='a')") == {"x": -1.0, "y": [1, None], "z": "a"}
    assert value("A(x=A(y=(1, 2)), z=b)") == {"x": {"y": (1, 2)}, "z": len}


@pytest.mark.parametrize(
    "text",
    ["A", "a.B(x=1)", "A(1)", "A(**{})", "A(x=A(1))", "A(x=c)", "A(x=c())", "A(x=b.a)", "A(x=1)+1"],
)
def test_what_is_no_argument(text):
    with pytest.raises(ValueError, match=r"keyword arguments|malformed|is not exported"):
        value(text)
