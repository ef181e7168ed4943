"""What a reference leads to is shown in place: equations, of other pages too, and sources."""

from __future__ import annotations

import pytest

HERE = 'a.internal[href="#equation-al-iter"]'
THERE = 'a.internal[href="primal_dual.html#equation-al-iter"]'


def formula_of(part):
    """The TeX of the first formula in a part of a page."""
    return part.locator("annotation").first.text_content()


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_equation_of_this_page(open_page, language, from_disk):
    page = open_page(f"{language}/algorithms/primal_dual.html", from_disk=from_disk)
    preview = page.locator("#preview")
    assert not preview.is_visible()
    page.locator(HERE).first.hover()
    preview.wait_for(state="visible")
    assert formula_of(preview) == formula_of(page.locator("#equation-al-iter"))
    assert page.locator(HERE).first.get_attribute("aria-describedby") == "preview"
    box = preview.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 1280
    page.mouse.move(0, 0)
    preview.wait_for(state="hidden")
    assert page.locator(HERE).first.get_attribute("aria-describedby") is None


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_equation_of_another_page(open_page, language, from_disk):
    page = open_page(f"{language}/algorithms/operator_splitting.html", from_disk=from_disk)
    page.locator(THERE).first.hover()
    preview = page.locator("#preview")
    preview.wait_for(state="visible")
    shown = formula_of(preview)
    page.goto(page.url.replace("operator_splitting", "primal_dual"))
    assert shown == formula_of(page.locator("#equation-al-iter"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_source_by_keyboard(open_page, language):
    page = open_page(f"{language}/algorithms/primal_dual.html")
    preview = page.locator("#preview")
    reference = page.locator("a.footnote-reference").first
    reference.focus()
    page.keyboard.press("Shift+Tab")
    assert not preview.is_visible()
    page.keyboard.press("Tab")
    preview.wait_for(state="visible")
    assert "Stephen Boyd" in preview.inner_text()
    assert reference.get_attribute("aria-describedby") == "preview"
    page.keyboard.press("Escape")
    preview.wait_for(state="hidden")
    assert reference.evaluate("link => link === document.activeElement")


def test_escape_closes_the_preview_and_leaves_the_line(open_page):
    page = open_page("en/algorithms/primal_dual.html#pcode-fedpd-l7")
    page.locator(HERE).first.hover()
    page.locator("#preview").wait_for(state="visible")
    page.keyboard.press("Escape")
    page.locator("#preview").wait_for(state="hidden")
    assert page.locator("#pcode-fedpd-l7.is-kept").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".is-kept").count() == 0


def test_the_pointer_can_go_into_the_preview(open_page):
    page = open_page("en/algorithms/primal_dual.html")
    page.locator("a.footnote-reference").first.hover()
    preview = page.locator("#preview")
    preview.wait_for(state="visible")
    preview.locator("a.external").hover()
    page.wait_for_timeout(600)  # longer than a preview stays without the pointer
    assert preview.is_visible()


def test_on_a_phone_it_fits_and_a_tap_follows_the_link(open_page):
    page = open_page("en/algorithms/primal_dual.html", width=360, has_touch=True)
    reference = page.locator(HERE).first
    reference.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    preview = page.locator("#preview")
    preview.wait_for(state="visible")
    box = preview.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360
    page.keyboard.press("Escape")
    reference.tap()
    assert page.url.endswith("#equation-al-iter")
    assert not preview.is_visible()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_scripts_a_reference_is_a_link(open_page, language):
    page = open_page(f"{language}/algorithms/primal_dual.html", java_script_enabled=False)
    page.locator(HERE).first.click()
    assert page.url.endswith("#equation-al-iter")
