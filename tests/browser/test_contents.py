"""The contents of a page mark the section that is being read, however one came there."""

from __future__ import annotations

import pytest

CONTENTS = ".bd-sidebar-secondary nav.page-toc"
CHAPTER = "{}/algorithms/overview.html"


def current(page):
    """The section that is marked, when scrolling has ended."""
    page.evaluate(
        """() => new Promise((done) => {
            let last = NaN;
            const timer = setInterval(() => {
                if (last === scrollY) done(clearInterval(timer));
                last = scrollY;
            }, 150);
        })"""
    )
    marked = page.locator(f"{CONTENTS} [aria-current]")
    active = page.locator(f"{CONTENTS} a.active")
    assert marked.count() == active.count() <= 1
    return marked.get_attribute("href") if marked.count() else None


def entries(page):
    links = page.locator(f"{CONTENTS} a")
    return links.evaluate_all("links => links.map((link) => link.getAttribute('href'))")


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_keys_home_and_end(open_page, language, from_disk):
    page = open_page(CHAPTER.format(language), from_disk=from_disk)
    hrefs = entries(page)
    top = page.locator(hrefs[0]).evaluate("part => part.getBoundingClientRect().top")
    first = hrefs[0] if top < 900 / 3 else None  # else what comes before the first section is read
    assert current(page) == first
    page.keyboard.press("End")
    assert current(page) == hrefs[-1]
    page.keyboard.press("Home")
    assert current(page) == first


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_anchor_that_is_no_section(open_page, language):
    page = open_page(f"{CHAPTER.format(language)}#equation-fedavg-fixed-point")
    hrefs = entries(page)
    assert current(page) == hrefs[2]
    page.evaluate("location.hash = 'pcode-scaffold-l20'")
    assert current(page) == next(each for each in hrefs if each.startswith("#scaffold"))
    page.go_back()
    assert current(page) == hrefs[2]


def test_every_entry_marks_itself(open_page):
    page = open_page("en/algorithms/overview.html")
    hrefs = entries(page)
    assert len(hrefs) > 4
    for href in hrefs:
        page.evaluate("hash => location.hash = hash", href)
        assert current(page) == href
        assert page.locator(".toc-entry.active").count() >= 1


def test_reading_on_leaves_what_a_link_led_to(open_page):
    page = open_page("en/algorithms/overview.html")
    first, second, *_ = entries(page)
    page.locator(f"{CONTENTS} a").first.click()
    assert current(page) == first
    section = page.locator(f"[id='{second[1:]}']")
    section.evaluate("section => section.scrollIntoView({behavior: 'instant'})")
    assert current(page) == second


def test_objects_of_the_reference_are_marked(open_page):
    page = open_page("en/api.html#fl_algos.algorithms.fedpd.FedPD")
    assert current(page) == "#fl_algos.algorithms.fedpd.FedPD"
