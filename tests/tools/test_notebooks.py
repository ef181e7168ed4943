"""Refreshing stores what the code prints, twice the same, and gives the twin the same cells."""

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import notebooks as tool

ROOT = Path(__file__).resolve().parents[2]
STORED = sorted((ROOT / "notebooks").glob("*/*.ipynb"))


def write(path: Path, *cells: nbformat.NotebookNode) -> Path:
    path.parent.mkdir(exist_ok=True)
    nbformat.write(new_notebook(cells=list(cells)), path)
    return path


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """A notebook, and a translation whose code is out of date."""
    code = "import sys\nprint('a', flush=True)\nprint('b')\nprint('c', file=sys.stderr)\n1 + 1"
    return (
        write(tmp_path / "en" / "run.ipynb", new_markdown_cell("Words"), new_code_cell(code)),
        write(tmp_path / "zh" / "run.ipynb", new_markdown_cell("文字"), new_code_cell("1 + 2")),
    )


@pytest.fixture
def no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be executed: for what is settled before, and what comes after."""
    monkeypatch.setattr(tool, "execute", lambda notebook, folder: None)


@pytest.mark.filterwarnings("default")
def test_outputs_are_stored_in_both_languages_and_twice_the_same(pair: tuple[Path, Path]) -> None:
    tool.refresh(*pair)
    once = [path.read_bytes() for path in pair]
    tool.refresh(*pair)
    assert [path.read_bytes() for path in pair] == once

    english, chinese = (nbformat.read(path, as_version=4) for path in pair)
    assert english.cells[1] == chinese.cells[1]
    assert [cell.source for cell in (english.cells[0], chinese.cells[0])] == ["Words", "文字"]
    assert english.cells[0].id == chinese.cells[0].id
    assert "execution" not in english.cells[1].metadata
    texts = [output.get("text") for output in english.cells[1].outputs]
    assert sorted(text for text in texts if text) == ["a\nb\n", "c\n"]
    assert english.cells[1].outputs[-1].data["text/plain"] == "2"


@pytest.mark.filterwarnings("default")
def test_a_kernel_that_runs_well_has_nothing_to_say(
    pair: tuple[Path, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    tool.refresh(*pair)
    assert capfd.readouterr() == ("", "")


@pytest.mark.filterwarnings("default")
def test_a_notebook_that_raises_is_not_stored(tmp_path: Path) -> None:
    pair = [write(tmp_path / each / "run.ipynb", new_code_cell("1 / 0")) for each in ("en", "zh")]
    before = [path.read_bytes() for path in pair]
    with pytest.raises(Exception, match="ZeroDivisionError"):
        tool.refresh(*pair)
    assert [path.read_bytes() for path in pair] == before


@pytest.mark.usefixtures("no_kernel")
@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([new_code_cell("1"), new_code_cell("1")], "cell 1 is markdown in the one, code in the"),
        ([new_markdown_cell("文字")], "2 cells in the one, 1 in the other"),
    ],
)
def test_cells_that_do_not_line_up_are_refused(
    pair: tuple[Path, Path], cells: list[nbformat.NotebookNode], message: str
) -> None:
    write(pair[1], *cells)
    before = [path.read_bytes() for path in pair]
    with pytest.raises(tool.Mismatch, match=message):
        tool.refresh(*pair)
    assert [path.read_bytes() for path in pair] == before


@pytest.mark.usefixtures("no_kernel")
def test_a_missing_translation_is_asked_for(pair: tuple[Path, Path]) -> None:
    pair[1].unlink()
    with pytest.raises(tool.Mismatch, match="the second is missing"):
        tool.refresh(*pair)


def test_pieces_of_a_stream_are_joined() -> None:
    pieces = [("stdout", "a"), ("stdout", "b"), ("stderr", "c"), ("stdout", "d")]
    outputs = [nbformat.v4.new_output("stream", name=name, text=text) for name, text in pieces]
    joined = [(output.name, output.text) for output in tool.join_streams(outputs)]
    assert joined == [("stdout", "ab"), ("stderr", "c"), ("stdout", "d")]


def test_there_are_notebooks_in_both_languages() -> None:
    assert {path.parent.name for path in STORED} == {"en", "zh"}


@pytest.mark.parametrize("path", STORED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_stored_notebooks_were_run_from_top_to_bottom(path: Path) -> None:
    """What is not stored can't be compared: such a notebook would pass whatever it does."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert any(cell.outputs for cell in cells)
