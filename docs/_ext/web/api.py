"""The API page: the ``api-modules`` directive, and a warning for each public name that it lacks.

.. code-block:: rst

   .. api-modules:: fl_algos.theory

documents a module, or a package and then its modules in the order of their names. Public are the
modules whose name does not start with an underscore, and in them the names in ``__all__``. A name
that a module takes over from another one may be documented in either.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules, walk_packages
from typing import TYPE_CHECKING

from sphinx.ext.autodoc.mock import mock
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

log = logging.getLogger(__name__)


class ApiModules(SphinxDirective):
    """``.. api-modules:: NAME ...``, of modules and packages."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Leave it to autodoc, with the options that conf.py gives for all."""
        with mock(self.config.autodoc_mock_imports):
            modules = [import_module(name) for name in self.arguments[0].split()]
            lines = [line for module in modules for line in rst(module)]
        return self.parse_text_to_nodes("\n".join(lines))


def rst(module: ModuleType) -> Iterator[str]:
    """The directives for a module; a package takes its names over, so they stand in its modules."""
    yield f".. automodule:: {module.__name__}"
    if hasattr(module, "__path__"):
        yield from ("   :no-members:", "   :no-special-members:", "")
        for found in sorted(iter_modules(module.__path__), key=lambda found: found.name):
            if not found.name.startswith("_"):
                yield from rst(import_module(f"{module.__name__}.{found.name}"))
    elif has_hidden_bases(module):
        yield "   :inherited-members:"
    yield ""


def has_hidden_bases(module: ModuleType) -> bool:
    """Whether a class here inherits from one in a module that is not public."""
    classes = [each for each in vars(module).values() if isinstance(each, type)]
    bases = [
        base for each in classes if each.__module__ == module.__name__ for base in each.__bases__
    ]
    return any(base.__module__.rpartition(".")[2].startswith("_") for base in bases)


def public_modules(package: ModuleType) -> Iterator[ModuleType]:
    """The package and its public modules, imported."""
    yield package
    for found in walk_packages(package.__path__, f"{package.__name__}."):
        if not any(part.startswith("_") for part in found.name.split(".")):
            yield import_module(found.name)


def has_own_names(module: ModuleType) -> bool:
    """Whether a module defines names without an underscore."""
    return any(
        not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
        for name, value in vars(module).items()
    )


def homes(module: ModuleType, name: str) -> set[str]:
    """The full names under which a public name of a module may be documented."""
    public = getattr(module, name)
    owner = getattr(public, "__module__", None)
    own_name = getattr(public, "__qualname__", None)
    taken_over = {f"{owner}.{own_name}"} if owner and own_name else set()
    return {f"{module.__name__}.{name}"} | taken_over


def check_cover(app: Sphinx, env: BuildEnvironment) -> None:
    """Compare the public names with the objects of the Python domain."""
    if not app.config.api_package:
        return
    documented = set(env.domains["py"].objects)
    with mock(app.config.autodoc_mock_imports):
        for module in public_modules(import_module(app.config.api_package)):
            if not hasattr(module, "__all__") and has_own_names(module):
                log.warning("%s has no __all__", module.__name__, type="api")
            for name in getattr(module, "__all__", ()):
                if not homes(module, name) & documented:
                    log.warning("%s.%s is on no API page", module.__name__, name, type="api")
