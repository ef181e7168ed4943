"""Live figures: the directive, and that the stored curves say what the chapters say of them."""

from __future__ import annotations

import base64
import json
import math
import re
from itertools import pairwise, product

import pytest

from measured.live_figure import MIME, stored
from measured.live_words import NAMES, VERDICTS
from support.mini import ROOT, build, notebook

PNG = (  # three pixels by two
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAC0lEQVR4nGNgwAQAABQAAX3+Hu4AAAAASUVORK5CYII="
)
TOCTREE = "Home\n====\n\n.. toctree::\n\n   notebooks/live_figures\n\n"
FIGURE = """.. live-figure:: one
   :alt: A curve.
   :name: fig-one

   The *caption*.
"""
CURVE = {"x": "0 4", "y": "10 -50", "communications": 4, "rounds": 8, "verdict": "reached"}
DATA = {
    "x": {"name": "communications", "range": [0, 10]},
    "y": {"name": "distance", "range": [-6, 3], "log": True},
    "sliders": [{"name": "p", "values": ["0", "</script>"], "start": 1}],
    "series": [{"name": "corrected", "by": ["p"], "curves": {"0": CURVE, "1": CURVE}}],
}


def files(outputs, figure=FIGURE):
    """A page with a figure, and the notebook with the outputs of its only code cell."""
    stored = [{"output_type": "display_data", "metadata": {}, "data": each} for each in outputs]
    page = notebook("", alt={"one": "A curve."}, outputs=stored)
    return {
        "docs/en/index.rst": TOCTREE + figure,
        "notebooks/en/live_figures.ipynb": page,
        "notebooks/zh/live_figures.ipynb": page,
    }


def built(tmp_path, sources, language="en", builder="html"):
    return build(tmp_path, sources, language, builder, options=["-D", "nb_execution_mode=off"])


@pytest.fixture
def outputs():
    return [{"image/png": PNG}, {MIME: DATA, "text/plain": "2 curves"}]


@pytest.mark.parametrize(
    ("language", "label", "verdict"),
    [("en", "probability of skipping", "below {least}"), ("zh", "跳步概率", "低于 {least}")],
)
def test_a_figure_has_a_still_image_sliders_and_its_data(
    tmp_path, outputs, language, label, verdict
):
    done = built(tmp_path, files(outputs), language)
    assert (done.returncode, done.warnings) == (0, "")
    page = (done.out / "index.html").read_text(encoding="utf-8")
    figure = re.search(r'(?s)<figure [^>]*class="[^"]*live-figure.*?</figure>', page)[0]
    image = re.search(r'<img alt="A curve." src="(_images/[^"]*)"', figure)[1]
    assert (done.out / image).read_bytes() == base64.b64decode(PNG)
    assert re.search("<em[^>]*>caption</em>", figure)
    assert '<div class="live" id="live-one" hidden>' in figure
    assert f'<label for="live-one-p">{label}' in figure
    slider = re.search(r'<input type="range" id="live-one-p"[^>]*>', figure)[0]
    assert 'max="1"' in slider
    assert 'value="1"' in slider
    assert 'aria-valuetext="&lt;/script&gt;"' in slider
    data = json.loads(re.search(r'(?s)<script type="application/json">(.*?)</script>', figure)[1])
    assert verdict in data.pop("words")["reached"]
    assert data == DATA


def test_scripts_are_loaded_only_where_they_are_needed(tmp_path, outputs):
    done = built(tmp_path, files(outputs))
    pages = [
        (done.out / name).read_text(encoding="utf-8")
        for name in ("index.html", "notebooks/live_figures.html")
    ]
    for asset in ("uplot/uPlot.iife.min.js", "live_figure.js"):
        assert (done.out / "_static" / asset).is_file()
        assert [asset in page for page in pages] == [True, False]


def test_printed_books_have_the_still_image_and_the_caption(tmp_path, outputs):
    done = built(tmp_path, files(outputs), builder="latex")
    assert (done.returncode, done.warnings) == (0, "")
    tex = next(done.out.glob("*.tex")).read_text(encoding="utf-8")
    assert re.search(r"\\sphinxincludegraphics(\[.*\])?\{\{one\}\.png\}", tex)
    assert r"The \sphinxstyleemphasis{caption}." in tex


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("one", "two", "live_figures.ipynb has no such cell"),
        ("one", "title", "no output of the type image/png is stored in"),
        (":alt: A curve.", "", "an alternative text (:alt:) and a caption are needed"),
        ("The *caption*.", "", "an alternative text (:alt:) and a caption are needed"),
    ],
)
def test_a_wrong_directive_is_a_warning(tmp_path, outputs, old, new, message):
    figure = FIGURE.replace(old, new, 1)
    done = built(tmp_path, files(outputs, figure))
    assert done.returncode != 0
    assert message in done.warnings


def test_a_cell_without_stored_curves_is_a_warning(tmp_path, outputs):
    done = built(tmp_path, files(outputs[:1]))
    assert f"no output of the type {MIME} is stored in" in done.warnings


def test_a_name_without_words_is_a_warning(tmp_path, outputs):
    unnamed = DATA | {"x": {"name": "votes", "range": [0, 10]}}
    done = built(tmp_path, files([outputs[0], {MIME: unnamed, "text/plain": "2 curves"}]))
    assert "live_words.py has no words for votes [live_figure]" in done.warnings


# What the book's own figures hold.


def curves_of(cell):
    """The values of the sliders, and the curves of each series."""
    data = stored(ROOT / "notebooks" / "en" / "live_figures.ipynb", cell)[1]
    values = {each["name"]: each["values"] for each in data["sliders"]}
    return values, {each["name"]: each["curves"] for each in data["series"]}


@pytest.mark.parametrize("cell", ["proxskip", "fedpd", "kappa"])
def test_every_position_of_the_sliders_has_its_curves(cell):
    data = stored(ROOT / "notebooks" / "en" / "live_figures.ipynb", cell)[1]
    count = {each["name"]: len(each["values"]) for each in data["sliders"]}
    for series in data["series"]:
        positions = product(*(range(count[name]) for name in series["by"]))
        assert set(series["curves"]) == {" ".join(map(str, at)) for at in positions}
        for curve in series["curves"].values():
            x, y = (list(map(int, curve[axis].split())) for axis in "xy")
            assert len(x) == len(y) > 1
            assert x == sorted(set(x))


def test_verdicts_fit_their_curves():
    for cell in ("proxskip", "fedpd"):
        for curves in curves_of(cell)[1].values():
            for curve in curves.values():
                last = int(curve["y"].split()[-1])
                assert (last >= 300) == (curve["verdict"] == "diverges")
                assert (last <= -600) == (curve["verdict"] == "reached")
                assert int(curve["x"].split()[-1]) == curve["communications"]


def test_proxskip_as_written_drifts_and_diverges_where_the_chapter_says_so():
    values, series = curves_of("proxskip")
    written, corrected = series["as_written"], series["corrected"]
    assert "diverges" not in {curve["verdict"] for curve in corrected.values()}
    for R, spread in product(range(3), range(4)):
        without_skipping = written[f"0 {R} {spread}"]["verdict"]
        drifts = values["R"][R] != "1" and values["spread"][spread] != "0"
        assert without_skipping == ("stays" if drifts else "reached")
    for spread in range(4):
        first = [
            min(p for p in range(10) if written[f"{p} {R} {spread}"]["verdict"] == "diverges")
            for R in range(3)
        ]
        assert first == sorted(set(first), reverse=True)


def test_the_plateau_grows_with_p_and_s_and_is_proportional_to_the_heterogeneity():
    values, series = curves_of("fedpd")
    fedpd = series["fedpd"]
    assert values["spread"] == ["0", "0.1", "1", "10"]
    for s in (3, 4):  # with shorter steps the start is still to be seen in the levels
        for spread in (1, 2, 3):
            levels = [fedpd[f"{p} {spread} {s}"]["level"] for p in range(1, 10)]
            assert levels == sorted(levels)
        for p in range(1, 10):
            levels = [fedpd[f"{p} {spread} {s}"]["level"] for spread in (1, 2, 3)]
            assert all(abs(high - low - 100) <= 1 for low, high in pairwise(levels))
    for p in range(1, 10):
        levels = [fedpd[f"{p} 2 {s}"]["level"] for s in range(2, 5)]
        assert levels == sorted(levels)
    assert all(
        fedpd[f"0 {spread} {s}"]["verdict"] == "reached" for spread in range(4) for s in (3, 4)
    )


def test_fedpd_opens_on_a_plateau_and_far_ahead_of_gradient_descent_without_skipping():
    data = stored(ROOT / "notebooks" / "en" / "live_figures.ipynb", "fedpd")[1]
    at = {each["name"]: str(each["start"]) for each in data["sliders"]}
    skipping, without, descent = (
        each["curves"][" ".join(at[name] for name in each["by"])] for each in data["series"]
    )
    assert skipping["verdict"] == "stays"
    assert skipping["level"] > -200
    assert without["verdict"] == descent["verdict"] == "reached"
    assert 2 * without["communications"] < descent["communications"]


def test_communications_grow_with_the_root_of_kappa_and_are_fewest_near_the_recommended_p():
    values, series = curves_of("kappa")
    last = len(values["accuracy"]) - 1

    def slope(curve):
        (x0, *_, x1), (y0, *_, y1) = (list(map(int, curve[axis].split())) for axis in "xy")
        return (y1 - y0) / 100 / math.log10(x1 / x0)

    by_multiple = [series["scaffnew"][f"{m} {last}"] for m in range(len(values["m"]))]
    assert abs(slope(series["gradient_descent"][str(last)]) - 1) < 0.05
    assert all(abs(slope(curve) - 0.5) < 0.1 for curve in by_multiple[:4])
    counts = {m: curve["communications"] for m, curve in zip(values["m"], by_multiple, strict=True)}
    assert counts["1"] == min(counts.values())
    assert counts["4"] > 3 * counts["1"]
    assert counts["1/4"] > 2 * counts["1"]


def test_every_word_is_in_both_languages():
    for table in (NAMES, VERDICTS):
        for english, chinese in table.values():
            assert english.count("$") == chinese.count("$")
            holes = [sorted(re.findall(r"\{(\w+)\}", text)) for text in (english, chinese)]
            if table is VERDICTS:
                assert holes[0] == holes[1]
