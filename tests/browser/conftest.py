"""A browser that reads the built site, from a server as well as from disk."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading

import pytest

from support.pages import SITE, unavailable

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


class Silent(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def server():
    """The address of the built site, served on this machine."""
    if not (SITE / "index.html").exists():
        unavailable("the site is not built: run `make book`")
    handler = functools.partial(Silent, directory=SITE)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture(scope="session")
def browser():
    """Chromium or Chrome, as the system has it."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        unavailable("playwright is not installed: run `make test`")
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    # Where it is not in PATH, as on macOS, playwright knows where Chrome lies.
    place = {"executable_path": found} if found else {"channel": "chrome"}
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(**place, args=["--no-sandbox", "--disable-gpu"])
        except Error:
            if found:
                raise
            unavailable(f"there is no browser: none of {', '.join(BROWSERS)} is in PATH")
        yield started
        started.close()


@pytest.fixture
def complaints():
    """What pages did wrong; a test that provokes a complaint takes it off the list."""
    return []


@pytest.fixture
def open_page(browser, server, complaints):
    """Open a page of the site, e.g. ``open_page("en/index.html", width=360, color_scheme="dark")``.

    ``from_disk=True`` opens the file itself. Other options are those of a browser context of
    playwright. At the end the test fails if a page asked for anything outside of the site, or
    logged an error to the console.
    """
    contexts = []

    def open_page(path, *, width=1280, height=900, from_disk=False, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        origin = SITE.as_uri() if from_disk else server
        page = context.new_page()

        def heard(message):
            if message.type == "error":
                complaints.append(f"{page.url}: {message.location['url']}: {message.text}")

        def requested(asked):
            if not asked.url.startswith((origin, "data:", "blob:")):
                complaints.append(f"{page.url}: asked for {asked.url}")

        page.on("console", heard)
        page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
        page.on("request", requested)
        page.goto(f"{origin}/{path}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
