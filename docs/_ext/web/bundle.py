"""One style sheet and one script for all pages, in place of those that would be fetched one by one.

Sphinx, the theme and the packages here ask for theirs by the usual calls, in whatever order holds.
When the pages are finished, those that every page asks for are joined in that order, and what then
nobody asks for is deleted. What runs before anything is painted stays alone.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from docutils import nodes
    from sphinx.application import Sphinx

UNUSED = ("_static/sphinx_highlight.js", "_static/translations.js")
"""Scripts of Sphinx's search; the second one makes code of a string, which pages forbid."""
ALONE = "mode.js"
SAMPLE = "genindex.html"
"""A page that every build writes, and that asks for nothing of its own."""
SHEETS = re.compile(r'\s*<link\b[^>]*\brel="stylesheet"[^>]*>')
SCRIPTS = re.compile(r'\s*<script\b[^>]*\bsrc="[^"]*"[^>]*></script>')

_ADDRESS = re.compile(r'\b(?:href|src)="((?:\.\./)*_static/)([^"?#]*)')
_URL = re.compile(r"""\burl\((["']?)(?!data:)([^"'()?#]+)([^"'()]*)\1\)""")
_IMPORT = re.compile(r'@import "([^"]*)";')
_SOURCE_MAP = re.compile(r"/[/*]# sourceMappingURL=.*")


def sort_scripts(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Take scripts off a page's list: what Sphinx's search needs, files and lines in the page.

    Those that come first of all the template has before the style sheet, for which scripts wait.
    """
    scripts = context.get("script_files", [])
    scripts = [each for each in scripts if each.filename and str(each.filename) not in UNUSED]
    context["first_scripts"] = [each for each in scripts if each.priority == 0]
    context["script_files"] = [each for each in scripts if each.priority > 0]


def join_assets(app: Sphinx, exception: Exception | None) -> None:
    """Join what all pages ask for, let them ask for that, and delete what is left over."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    static = site / "_static"
    pages = {path: path.read_text("utf-8") for path in site.rglob("*.html")}

    def join(tags: re.Pattern[str], read: Callable[[Path, str], str], name: str, link: str) -> None:
        parts = [address(tag)[1] for tag in tags.findall(pages[site / SAMPLE])]
        parts = [part for part in parts if part != ALONE]
        text = "\n".join(f"/* {part} */\n{read(static, part)}" for part in parts)
        (static / name).write_text(text, "utf-8")
        version = hashlib.sha256(text.encode()).hexdigest()[:8]
        link = link.replace("NAME", f"{name}?v={version}")
        for path, page in pages.items():
            # A page that was not written again asks for the bundle of the build before.
            pages[path] = with_bundle(page, tags, {name, *parts}, link)

    join(SHEETS, sheet, "book.css", '\n    <link rel="stylesheet" href="_static/NAME">')
    join(SCRIPTS, script, "book.js", '\n    <script defer src="_static/NAME"></script>')
    for path, page in pages.items():
        path.write_text(page, "utf-8")
    remove_unused(static, pages.values())


def address(tag: str) -> tuple[str, str]:
    """The static folder, as seen from the page, and the file in it that a tag asks for."""
    found = _ADDRESS.search(tag)
    return (found[1], found[2]) if found else ("", "")


def sheet(static: Path, name: str) -> str:
    """A style sheet with those that it imports; its addresses are relative to the static folder."""

    def from_static(given: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(name), given))

    def replace(url: re.Match[str]) -> str:
        target = from_static(url[2])
        return f'url("{target}{url[3]}")' if (static / target).is_file() else url[0]

    text = _SOURCE_MAP.sub("", (static / name).read_text("utf-8-sig"))
    return _IMPORT.sub(lambda found: sheet(static, from_static(found[1])), _URL.sub(replace, text))


def script(static: Path, name: str) -> str:
    """A script that others can follow."""
    return _SOURCE_MAP.sub("", (static / name).read_text("utf-8-sig")) + "\n;"


def with_bundle(page: str, tags: re.Pattern[str], parts: set[str], link: str) -> str:
    """The page with a link to the bundle in the place of the first of its parts, and no other."""
    links = iter([link])

    def replace(tag: re.Match[str]) -> str:
        folder, name = address(tag[0])
        return next(links, "").replace("_static/", folder) if name in parts else tag[0]

    return tags.sub(replace, page)


def remove_unused(static: Path, pages: Iterable[str]) -> None:
    """Delete the static files that neither a page nor the style sheet names, but for licences."""
    used = {"plus.png"}  # doctools.js puts it in the place of minus.png
    for page in pages:
        used |= {name for _, name in _ADDRESS.findall(page)}
    used |= {name for _, name, _ in _URL.findall((static / "book.css").read_text("utf-8"))}
    for path in sorted(static.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(static).as_posix() not in used and "LICENSE" not in path.name:
            path.unlink()
