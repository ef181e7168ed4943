"""The buttons that copy the code as Python and the block as LaTeX, even without a clipboard."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pcode.lines import statements

ROOT = Path(__file__).resolve().parents[2]
CHAPTER = "{}/algorithms/primal_dual.html"
LABELS = {
    "en": ("Copy as LaTeX", "Copy as Python", "Copy as BibTeX"),
    "zh": ("复制 LaTeX 源码", "复制 Python 代码", "复制 BibTeX 条目"),
}
DONE = {"en": "Copied", "zh": "已复制"}


def pasted(page):
    """What the clipboard has, pasted into a field."""
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('textarea'), {id: 'paste'}))"
    )
    page.locator("#paste").focus()
    page.keyboard.press("ControlOrMeta+V")
    return page.locator("#paste").input_value()


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_block_as_latex(open_page, language, from_disk):
    page = open_page(CHAPTER.format(language), from_disk=from_disk)
    page.get_by_role("button", name=LABELS[language][0]).click()
    page.get_by_role("status").filter(has_text=DONE[language]).wait_for(state="attached")
    source = ROOT / "docs" / language / "_algo_pcode" / "fedpd.rst"
    copied = pasted(page)
    assert statements(copied) == statements(source.read_text(encoding="utf-8"))
    assert copied.startswith(r"\begin{algorithm}")
    assert copied.endswith("\\end{algorithm}\n")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_code_as_python_without_a_clipboard(open_page, language):
    page = open_page(CHAPTER.format(language), from_disk=True)
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    button = page.locator(".beside-code").get_by_role("button", name=LABELS[language][1])
    button.focus()
    page.keyboard.press("Enter")
    page.get_by_role("status").filter(has_text=DONE[language]).wait_for(state="attached")
    assert button.evaluate("button => button === document.activeElement")
    assert page.locator(".copy-area").count() == 0
    copied = pasted(page)
    names = [function.name for function in ast.parse(copied).body]
    assert names == ["init", "round"]
    assert "theta_k0 = server.broadcast(theta)  # 13, 14\n" in copied


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_entry_as_bibtex(open_page, language):
    page = open_page(CHAPTER.format(language))
    page.locator(".cite-page summary").click()
    page.locator(".cite-page").get_by_role("button", name=LABELS[language][2]).click()
    page.get_by_role("status").filter(has_text=DONE[language]).wait_for(state="attached")
    assert pasted(page).startswith("@misc{fl_algos:primal_dual")


@pytest.mark.parametrize(("language", "label"), [("en", "Copy"), ("zh", "复制")])
def test_a_listing_whose_language_is_not_noted(open_page, language, label):
    page = open_page(f"{language}/_modules/fl_algos/algorithms/fedpd.html")
    assert page.locator(".copy-button").get_attribute("aria-label") == label


def test_a_session_without_prompts_and_output(open_page):
    page = open_page(CHAPTER.format("en"))
    session = page.locator(".highlight", has_text=">>> from fl_algos.data import digits")
    session.hover()
    session.locator(".copy-button").click()
    page.get_by_role("status").filter(has_text="Copied").wait_for(state="attached")
    copied = pasted(page)
    assert copied.startswith("import fl_algos as fl\n")
    assert ">>>" not in copied
    assert "True" not in copied


def test_a_second_click_is_answered_as_long_as_the_first(open_page):
    page = open_page(CHAPTER.format("en"))
    page.clock.install()
    block, code = (page.locator(f".{part} .copy-button") for part in ("pcode", "beside-code"))
    status = page.locator(".copy-status")
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    for button in (block, block, code):
        button.click()
        page.locator(".copy-button.is-copied").wait_for()
        page.clock.run_for(1200)
        assert status.inner_text() == "Copied"
        assert button.get_attribute("data-tip") == "Copied"
    assert block.get_attribute("data-tip") == LABELS["en"][0]
    page.clock.run_for(1200)
    assert status.inner_text() == ""
    assert code.get_attribute("data-tip") == LABELS["en"][1]


def test_a_refusal_is_said(open_page):
    page = open_page(CHAPTER.format("en"))
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
        "document.execCommand = () => false"
    )
    page.locator(".pcode .copy-button").click()
    page.get_by_role("status").filter(has_text="Could not copy").wait_for(state="attached")


def test_a_button_is_seen_when_it_has_the_focus_and_on_a_phone(open_page):
    opacity = "button => getComputedStyle(button).opacity"
    page = open_page(CHAPTER.format("en"))
    button = page.locator(".pcode .copy-button")
    assert button.evaluate(opacity) == "0"
    page.locator("#pcode-fedpd-l1").focus()
    page.keyboard.press("Tab")
    assert button.evaluate(opacity) == "1"
    phone = open_page(CHAPTER.format("en"), width=360, has_touch=True, is_mobile=True)
    assert phone.locator(".pcode .copy-button").evaluate(opacity) == "1"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_outputs_of_notebooks_have_no_button(open_page, language):
    page = open_page(f"{language}/notebooks/fedpd.html")
    assert page.locator(".cell_input .copy-button").count() > 0
    assert page.locator(".output .copy-button").count() == 0
