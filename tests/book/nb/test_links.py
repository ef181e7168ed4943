"""Notebooks can be downloaded; they open elsewhere once the repository has an address."""

from __future__ import annotations

import html
import json
import re
import sys
from urllib.parse import urlsplit

import pytest

from nb.links import binder, colab
from support.mini import ROOT, build, notebook, with_notebook

REPOSITORY = "https://github.com/someone/fl"


def links(out):
    page = (out / "notebooks" / "page.html").read_text(encoding="utf-8")
    paragraph = re.search(r'(?s)<p class="notebook-links"[^>]*>(.*?)</p>', page)[1]
    return re.findall(r'(?s)<a class="[^"]*"(?: download="")? href="([^"]*)">(.*?)</a>', paragraph)


def files(repository):
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = re.sub(r'repository_url = ".*"', f'repository_url = "{repository}"', project)
    return {"pyproject.toml": project, **with_notebook(notebook("1 + 1"))}


def test_without_a_repository_there_is_the_download(tmp_path):
    done = build(tmp_path, files(""))
    assert (done.returncode, done.warnings) == (0, "")
    [(href, words)] = links(done.out)
    assert "Download this notebook" in words
    copy = (done.out / "notebooks" / href).resolve()
    assert json.loads(copy.read_text(encoding="utf-8"))["nbformat"] == 4


def test_with_a_repository_there_are_places_to_run_it(tmp_path):
    done = build(tmp_path, files(REPOSITORY), "zh")
    assert (done.returncode, done.warnings) == (0, "")
    _, to_binder, to_colab = [(html.unescape(href), words) for href, words in links(done.out)]
    assert to_binder == (binder(REPOSITORY, "notebooks/zh/page.ipynb"), "在 Binder 中打开")
    assert to_colab == (colab(REPOSITORY, "notebooks/zh/page.ipynb"), "在 Colab 中打开")
    # What they name is a file of the repository.
    for address in (to_binder[0], to_colab[0]):
        path = re.search(r"notebooks/zh/page\.ipynb", address)[0]
        assert (done.out.parents[2] / path).exists()
    page = (done.out / "notebooks" / "page.html").read_text(encoding="utf-8")
    words = html.unescape(re.sub(r"<[^>]*>", "", page))
    assert f'%pip install "fl_algos[data] @ git+{REPOSITORY}"' in words


def test_binder_finds_what_notebooks_need():
    wanted = (ROOT / ".binder" / "requirements.txt").read_text(encoding="utf-8").split()
    code = "\n".join(path.read_text("utf-8") for path in ROOT.glob("notebooks/en/*.ipynb"))
    imported = set(re.findall(r"^\s*\"(?:import|from) (\w+)", code, re.MULTILINE))
    provided = {"fl_algos", "numpy", "scipy", "sklearn", "IPython", *wanted}
    provided |= set(sys.stdlib_module_names)
    assert imported <= provided


@pytest.mark.parametrize(
    ("repository", "in_binder", "in_colab"),
    [
        (REPOSITORY, "/v2/gh/someone/fl/HEAD", "/github/someone/fl/blob/HEAD/a.ipynb"),
        (f"{REPOSITORY}/", "/v2/gh/someone/fl/HEAD", "/github/someone/fl/blob/HEAD/a.ipynb"),
        ("https://gitlab.com/a/b", "/v2/gl/a%2Fb/HEAD", None),
        ("https://git.example.org/a", "/v2/git/https%3A%2F%2Fgit.example.org%2Fa/HEAD", None),
    ],
)
def test_addresses(repository, in_binder, in_colab):
    address = urlsplit(binder(repository, "a.ipynb"))
    assert (address.path, address.query) == (in_binder, "urlpath=lab/tree/a.ipynb")
    found = colab(repository, "a.ipynb")
    assert (found and urlsplit(found).path) == in_colab
