"""What pages load and run: nothing from elsewhere, nothing foreign, and not too much."""

from __future__ import annotations

import gzip
from urllib.parse import urlsplit

import pytest

from support.pages import SITE, names

LIMIT = 1_000_000  # bytes of a chapter, compressed
REQUESTS = 25  # of a chapter, itself among them
SHIFT = """() => new Promise((done) => {
    let sum = 0;
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) sum += entry.hadRecentInput ? 0 : entry.value;
    }).observe({ type: "layout-shift", buffered: true });
    setTimeout(() => done(sum), 300);
})"""
"""How much moved, as browsers measure it: the sum of all shifts since the page began to load."""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_page_asks_for_or_runs_anything_foreign(open_page, language):
    """The fixture looks at requests and at the console, where violations are reported.

    That is from disk; served, all pages are opened where they are to lead to their twins.
    """
    page = open_page(f"{language}/index.html", from_disk=True)
    site = page.url.partition(f"/{language}/")[0]
    for name in names(language):
        page.goto(f"{site}/{name}")
        assert page.locator("article h1").first.is_visible()


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
@pytest.mark.parametrize("name", ["en/algorithms/skipping.html", "zh/search.html"])
def test_an_injected_script_does_not_run(open_page, complaints, name, from_disk):
    page = open_page(name, from_disk=from_disk)
    assert complaints == []
    page.evaluate(
        """() => {
            document.body.append(Object.assign(document.createElement("script"),
                                 {textContent: "window.injected = true"}));
            document.body.insertAdjacentHTML("beforeend", '<p onclick="window.injected = true">x');
            document.body.lastElementChild.click();
        }"""
    )
    assert page.evaluate("window.injected") is None
    assert len(complaints) == 2
    assert all("Content Security Policy" in complaint for complaint in complaints)
    complaints.clear()


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
def test_a_form_is_sent_nowhere_else(open_page, complaints, from_disk):
    page = open_page("en/search.html", from_disk=from_disk)
    with page.expect_console_message(lambda message: "form-action" in message.text):
        page.evaluate(
            """() => {
                const form = document.createElement("form");
                form.action = "https://elsewhere.invalid/";
                document.body.append(form);
                form.submit();
            }"""
        )
    assert len(complaints) == 1
    complaints.clear()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_chapters_are_not_heavy(open_page, language):
    page = open_page(f"{language}/genindex.html")
    site = page.url.partition(f"/{language}/")[0]
    asked = set()
    page.on("request", lambda request: asked.add(urlsplit(request.url).path.removeprefix("/")))
    for name in names(language, "algorithms"):
        page.wait_for_load_state("networkidle")
        asked.clear()
        page.goto(f"{site}/{name}", wait_until="networkidle")
        sizes = {path: len(gzip.compress((SITE / path).read_bytes())) for path in asked}
        assert len(sizes) > 5
        assert len(sizes) <= REQUESTS, (name, sizes)
        assert sum(sizes.values()) < LIMIT, (name, sizes)


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_moves_while_a_chapter_loads(open_page, language, width):
    """Each page is opened as by a reader who comes for the first time."""
    for name in names(language, "algorithms"):
        page = open_page(name, width=width)
        page.wait_for_load_state("networkidle")
        page.evaluate("document.fonts.ready")
        assert page.evaluate(SHIFT) <= 0.05, name


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_chapter_is_readable_without_scripts(open_page, language):
    page = open_page(f"{language}/algorithms/skipping.html", java_script_enabled=False)
    for part in ("article h1", ".pcode .ps-line", ".katex-html", ".beside-code", ".bd-docs-nav a"):
        assert page.locator(part).first.is_visible(), part
    assert page.locator(".lang-switch").is_visible()
    assert not page.locator(".theme-switch-button").is_visible()


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
@pytest.mark.parametrize(("locale", "book"), [("zh-CN", "zh"), ("en-GB", "en"), ("fr-FR", "en")])
def test_the_first_page_leads_to_the_reader_s_language(open_page, locale, book, from_disk):
    page = open_page("index.html", locale=locale, from_disk=from_disk)
    page.wait_for_url(f"**/{book}/index.html")


def test_the_first_page_has_links_where_there_are_no_scripts(open_page):
    page = open_page("index.html", java_script_enabled=False)
    assert [link.get_attribute("href") for link in page.locator("a").all()] == [
        "en/index.html",
        "zh/index.html",
    ]
