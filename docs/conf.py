"""One configuration for both books.

English: ``sphinx-build -c docs docs/en OUT``; Chinese: ``sphinx-build -c docs -t zh docs/zh OUT``.
"""

import json
import sys
import tomllib
from importlib.metadata import version as installed_version
from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
PACKAGES = DOCS / "_ext"
sys.path.insert(0, str(PACKAGES))

from nb.cache import digest  # noqa: E402

chinese = tags.has("zh")  # noqa: F821
tree = "zh" if chinese else "en"
addresses = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["fl_algos"]

# The book

language = "zh_CN" if chinese else "en"
project = "可执行的联邦优化" if chinese else "Federated optimization, executable"
author = "fl_algos 全体作者" if chinese else "The fl_algos authors"
copyright = author
version = release = installed_version("fl_algos")
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_design",
    "sphinxcontrib.bibtex",
    "bilingual",
    "drawings",
    "measured",
    "nb",
    "pcode",
    "tex",
    "web",
]
exclude_patterns = ["_algo_pcode/*", "_exercises/*", "**/.ipynb_checkpoints"]
locale_dirs = [str(PACKAGES / "bilingual" / "locale")]
templates_path = [str(folder) for folder in sorted(PACKAGES.glob("*/templates"))]
bilingual_site_url = addresses["site_url"]
citation_file = str(ROOT / "CITATION.cff")
nb_links_repository = addresses["repository_url"]

nitpicky = True
# There is no intersphinx, because builds are offline: what lies outside of the package has no page.
nitpick_ignore_regex = [("py:.*", r"(?!fl_algos\b).*")]

numfig = True
math_numfig = True

bibtex_bibfiles = [str(ROOT / "references.bib")]
bibtex_reference_style = "author_year"

# The package

api_package = "fl_algos"
autodoc_default_options = {
    "members": True,
    "special-members": "__call__",
    "exclude-members": "oracle",
}
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
# The books need no torch.
autodoc_mock_imports = [] if find_spec("torch") else ["torch"]
napoleon_use_ivar = True
napoleon_custom_sections = ["Source"]

# Drawings

drawings_folder = str(DOCS / "figures")

# Mathematics and pseudocode

tex_macros = json.loads((DOCS / "macros.json").read_text(encoding="utf-8"))
tex_node_modules = str(ROOT / "build" / "node" / "node_modules")
html_math_renderer = "katex"

# Notebooks

myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
claims_file = str(ROOT / "notebooks" / "claims.json")
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True
nb_ipywidgets_js = {}
# Such are the curves that notebooks store for live figures; a line of text is shown instead.
suppress_warnings = ["mystnb.unknown_mime_type"]

# HTML

html_theme = "sphinx_book_theme"
html_title = project
html_favicon = "_ext/web/favicon.svg"
html_context = {"default_mode": "light"}  # without scripts; with them mode.js chooses
html_copy_source = False
html_baseurl = f"{bilingual_site_url.rstrip('/')}/{tree}/" if bilingual_site_url else ""
html_static_path = [str(folder) for folder in sorted(PACKAGES.glob("*/static"))]
html_theme_options = {
    "article_footer_items": ["cite-page.html"],
    "article_header_end": ["lang-switch.html", "article-header-buttons.html"],
    "primary_sidebar_end": [],
    "search_bar_text": "搜索本书" if chinese else "Search this book",
    "show_navbar_depth": 2,
    "use_download_button": False,
    "use_fullscreen_button": False,
    "navbar_persistent": [],  # else a second search field above the page
}
if addresses["repository_url"]:
    html_theme_options |= {
        "repository_url": addresses["repository_url"],
        "use_repository_button": True,
    }

# LaTeX

latex_engine = "xelatex"
latex_documents = [("index", f"fl_algos-{tree}.tex", project, author, "manual")]
latex_elements = {"papersize": "a4paper", "preamble": ""}  # the packages add to it


def setup(app: Sphinx) -> None:
    """Read all pages again when an extension has changed: Sphinx itself looks only at settings."""
    app.add_config_value("extensions_state", digest(PACKAGES.rglob("*.py")), "env")
