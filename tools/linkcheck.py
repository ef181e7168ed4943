"""Check a built site without a network: every link has its target, every asset is at home.

A link to another site is a reader's choice; a script, style sheet, picture, font or frame from
elsewhere would be a request that nobody asked for, and a gap for who reads from disk.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent

PAGES = {".html", ".svg"}

# What only points somewhere. Every other attribute with an address makes the browser fetch it.
POINTERS = {("a", "href"), ("area", "href"), ("form", "action"), ("blockquote", "cite")}
POINTING_RELATIONS = {"alternate", "author", "canonical", "help", "license", "next", "prev"}
POINTING_RELATIONS |= {"search", "index", "copyright", "top", "up"}
ADDRESSES = {"href", "src", "action", "poster", "data", "xlink:href", "cite", "background"}
ADDRESS_LISTS = {"srcset", "imagesrcset"}

CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
CSS_ADDRESS = re.compile(
    r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^)'"\s]*))\s*\)|@import\s+(?:"([^"]*)"|'([^']*)')"""
)
SCRIPT_FETCH = re.compile(
    r"""\b(?:fetch|import|importScripts|(?:Shared)?Worker|EventSource|sendBeacon)\s*\(\s*"""
    r"""["'`]((?:https?:)?//[^"'`]*)|\.(?:src|href)\s*=\s*["'`]((?:https?:)?//[^"'`]*)"""
    r"""|\bfrom\s*["']((?:https?:)?//[^"']*)"""
)


@dataclass(frozen=True)
class Link:
    """An address, the line where it stands, and whether a browser fetches it unasked."""

    address: str
    line: int
    fetched: bool


@dataclass
class Page:
    """What a page offers to links, and the links on it."""

    anchors: set[str] = field(default_factory=set)
    links: list[Link] = field(default_factory=list)


class PageParser(HTMLParser):
    """Read a page; styles and scripts on it are read like files of their own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self._inside = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Take down anchors and addresses."""
        self._inside = tag
        given = {name: value or "" for name, value in attributes}
        anchors = ("id", "name") if tag == "a" else ("id",)  # other names are no places
        self.page.anchors |= {given[name] for name in anchors if given.get(name)}
        fetched = (tag, "href") not in POINTERS and not is_pointing_link(tag, given)
        for name, value in given.items():
            if name in ADDRESSES:
                self._add(value.strip(), fetched and (tag, name) not in POINTERS)
            elif name in ADDRESS_LISTS:
                for candidate in re.split(r",\s+", value.strip()):
                    self._add(candidate.split()[0] if candidate.split() else "", fetched=True)
            elif name == "style":
                self._add_all(css_addresses(value))
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            _, _, target = given.get("content", "").partition("=")
            self._add(target.strip("'\" "), fetched=False)

    def handle_endtag(self, tag: str) -> None:
        """Leave a style or script."""
        self._inside = ""

    def handle_data(self, data: str) -> None:
        """Read a style or script."""
        if self._inside == "style":
            self._add_all(css_addresses(data))
        elif self._inside == "script":
            self._add_all(script_addresses(data))

    def _add_all(self, found: Iterator[tuple[str, int]]) -> None:
        for address, line in found:
            self._add(address, fetched=True, offset=line - 1)

    def _add(self, address: str, fetched: bool, offset: int = 0) -> None:
        self.page.links.append(Link(address, self.getpos()[0] + offset, fetched))


def is_pointing_link(tag: str, given: dict[str, str]) -> bool:
    """Tell a <link> that only informs from one that fetches."""
    relations = set(given.get("rel", "").lower().split())
    return tag == "link" and relations <= POINTING_RELATIONS


def found_by(pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, int]]:
    """Give the group that matched, and its line, of each match."""
    for match in pattern.finditer(text):
        address = next(group for group in match.groups() if group is not None)
        yield address, text.count("\n", 0, match.start()) + 1


def css_addresses(text: str) -> Iterator[tuple[str, int]]:
    """Find what a style sheet fetches."""
    blank = CSS_COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    return found_by(CSS_ADDRESS, blank)


def script_addresses(text: str) -> Iterator[tuple[str, int]]:
    """Find what a script fetches from another site, where it says so in a literal."""
    return found_by(SCRIPT_FETCH, text)


@cache
def read_page(path: Path) -> Page:
    """Read a page once."""
    parser = PageParser()
    parser.feed(path.read_text("utf-8"))
    parser.close()
    return parser.page


def read_links(path: Path) -> list[Link]:
    """List the links of a page, style sheet or script."""
    if path.suffix in PAGES:
        return read_page(path).links
    finder = css_addresses if path.suffix == ".css" else script_addresses
    text = path.read_text("utf-8", errors="replace")
    return [Link(address, line, fetched=True) for address, line in finder(text)]


def fault(link: Link, path: Path, root: Path) -> str | None:
    """Say what is wrong with a link in a file below `root`, if anything is."""
    parts = urlsplit(link.address)
    if parts.scheme == "data":
        return None
    if not link.address:
        return "empty address" if link.fetched else None
    if parts.scheme or parts.netloc:
        return "fetched from elsewhere" if link.fetched and parts.scheme != "javascript" else None
    if parts.path.startswith("/"):
        return "absolute path: it leads nowhere when the site is opened from disk"
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_relative_to(root):
        return "leaves the site"
    if target.is_dir():
        return "leads to a folder: opened from disk it shows a list of files"
    if not target.is_file():
        return "no such file"
    return missing_anchor(target, unquote(parts.fragment))


def missing_anchor(target: Path, fragment: str) -> str | None:
    """Say that the target page has no such anchor, if it has none."""
    if fragment in ("", "top") or target.suffix != ".html":
        return None
    return None if fragment in read_page(target).anchors else "no such anchor on that page"


def problems(root: Path) -> list[str]:
    """List what is wrong in the site below `root`: file, line, address, fault."""
    root = root.resolve()
    read_page.cache_clear()
    files = sorted(path for path in root.rglob("*") if path.suffix in PAGES | {".css", ".js"})
    if not any(path.suffix == ".html" for path in files):
        return [f"{root}: no page to check"]
    return [
        f"{path.relative_to(root)}:{link.line}: {link.address}: {found}"
        for path in files
        for link in read_links(path)
        if (found := fault(link, path, root))
    ]


def main(arguments: list[str]) -> int:
    """Check a site; print what is wrong."""
    root = Path(arguments[0]) if arguments else ROOT / "build" / "site"
    found = problems(root)
    print(
        "\n".join(found or [f"All links of {root} lead somewhere, and no asset is from elsewhere."])
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
