"""The switch of language leads to the same place of the twin, and pages name their language."""

from __future__ import annotations

import re

import pytest

from support.pages import SITE, names

OTHER = {"en": "zh", "zh": "en"}
TAGS = {"en": "en", "zh": "zh-CN"}
PAGES = [name.removeprefix("en/") for name in names("en")]


def switch(page):
    """Click where the link is: playwright's own click scrolls to where a sticky header was."""
    box = page.locator("a.lang-switch").bounding_box()
    with page.expect_navigation():
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


@pytest.mark.parametrize("name", PAGES)
def test_sections_have_the_same_places_in_both_languages(name):
    places = [
        re.findall(r'id="(place-[\d.-]+)"', (SITE / language / name).read_text(encoding="utf-8"))
        for language in OTHER
    ]
    assert places[0] == places[1]


@pytest.mark.parametrize("language", OTHER)
def test_every_page_leads_to_its_twin_and_back(open_page, language):
    page = open_page(f"{language}/index.html")
    site = page.url.partition(f"/{language}/")[0]
    for name in PAGES:
        page.goto(f"{site}/{language}/{name}")
        assert page.locator("html").get_attribute("lang") == TAGS[language]
        link = page.locator("a.lang-switch")
        assert link.get_attribute("hreflang") == TAGS[OTHER[language]]
        assert link.evaluate("link => link.href") == f"{site}/{OTHER[language]}/{name}"


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
@pytest.mark.parametrize("language", OTHER)
@pytest.mark.parametrize(
    ("name", "anchor"),
    [
        ("algorithms/primal_dual.html", "equation-al-iter"),
        ("algorithms/primal_dual.html", "pcode-fedpd-l6"),
        ("api.html", "fl_algos.algorithms.fedpd.FedPD"),
    ],
)
def test_an_anchor_that_both_have_stays(open_page, language, name, anchor, from_disk):
    page = open_page(f"{language}/{name}#{anchor}", from_disk=from_disk)
    switch(page)
    assert page.url.endswith(f"/{OTHER[language]}/{name}#{anchor}")


@pytest.mark.parametrize("anchor", ["100%", "%E5"])
def test_an_anchor_that_is_not_well_encoded_is_no_error(open_page, anchor):
    page = open_page(f"en/algorithms/primal_dual.html#{anchor}")
    switch(page)
    assert page.url.endswith("/zh/algorithms/primal_dual.html")


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("language", OTHER)
def test_the_section_that_is_read_is_the_one_that_opens(open_page, language, width):
    page = open_page(f"{language}/algorithms/skipping.html", width=width)
    page.locator("#place-1-3").evaluate("place => place.scrollIntoView({behavior: 'instant'})")
    switch(page)
    assert page.url.endswith(f"/{OTHER[language]}/algorithms/skipping.html#place-1-3")
    top = page.locator("#place-1-3").evaluate("place => place.getBoundingClientRect().top")
    assert -10 < top < 300


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("algorithms/primal_dual.html", 1280),
        ("algorithms/primal_dual.html", 360),
        ("algorithms/skipping.html", 1280),
        ("notebooks/fedpd_converges.html", 1280),
    ],
)
def test_the_paragraph_that_is_read_is_the_one_that_opens(open_page, name, width):
    """Also in long sections, from either language, and with a link to a section in the address."""
    page = open_page(f"en/{name}", width=width)
    places = page.locator("article [id*='.']").evaluate_all(
        """places => places.filter((place) => place.checkVisibility())
            .map((place) => place.id).filter((id) => /^place-[\\d-]+\\.\\d+$/.test(id))"""
    )
    assert len(places) > 20
    for place in places[3 :: len(places) // 8]:
        where = page.locator(f"[id='{place}']")
        where.evaluate("place => place.scrollIntoView({behavior: 'instant'})")
        page.mouse.wheel(0, 3)
        page.wait_for_timeout(150)
        before = where.evaluate("place => place.getBoundingClientRect().top")
        if before > 80:
            break  # the page is at its end
        switch(page)
        page.wait_for_load_state("load")
        assert page.url.endswith(f"#{place}")
        after = where.evaluate("place => place.getBoundingClientRect().top")
        assert abs(after - before) < 10, place


@pytest.mark.parametrize("language", OTHER)
def test_an_equation_that_is_read_opens(open_page, language):
    page = open_page(f"{language}/algorithms/primal_dual.html")
    equation = page.locator("#equation-fedpd-iter")
    equation.evaluate("equation => equation.scrollIntoView({behavior: 'instant'})")
    switch(page)
    assert page.url.endswith(f"/{OTHER[language]}/algorithms/primal_dual.html#equation-fedpd-iter")
    assert 0 <= equation.evaluate("equation => equation.getBoundingClientRect().top") < 150


@pytest.mark.parametrize("language", OTHER)
def test_a_section_that_a_link_led_to_is_left_by_reading_on(open_page, language):
    page = open_page(f"{language}/algorithms/primal_dual.html#fl-alg-primal-dual-fedpd")
    page.locator("[id='place-1-3.15']").evaluate("p => p.scrollIntoView({behavior: 'instant'})")
    switch(page)
    assert page.url.endswith("#place-1-3.15")


@pytest.mark.parametrize("language", OTHER)
def test_a_linked_section_opens_by_its_place_and_the_top_of_a_page_is_its_top(open_page, language):
    page = open_page(f"{language}/algorithms/overview.html")
    link = page.locator("#page-contents a").nth(1)
    link.click()
    switch(page)
    assert page.url.endswith("/algorithms/overview.html#place-1-2")
    page.evaluate("window.scrollTo({top: 0, behavior: 'instant'})")
    switch(page)
    assert page.url.endswith(f"/{language}/algorithms/overview.html")


def test_a_search_goes_on_in_the_other_language(open_page):
    page = open_page("en/search.html?q=FedPD")
    switch(page)
    assert page.url.endswith("/zh/search.html?q=FedPD")
    assert page.locator("#search-results > li").count() > 3


def test_the_interface_is_chinese(open_page):
    page = open_page("zh/notebooks/fedpd.html")
    words = page.evaluate(
        """() => [...document.querySelectorAll(
            "body :not(article *, script, style, noscript, .lang-switch, kbd)")]
          .flatMap((element) => [
            ...["title", "aria-label", "placeholder"].map((name) => element.getAttribute(name)),
            ...[...element.childNodes].filter((node) => node.nodeType === 3).map((n) => n.data)])
          .filter((text) => text && /[A-Za-z]{2}/.test(text) && !/\\p{Script=Han}/u.test(text))"""
    )
    assert [text for text in words if text.strip() != "FedPD"] == []
