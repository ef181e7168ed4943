"""Every public name of the package is documented: what is missing is a warning.

Public are the names in ``__all__`` of each module whose dotted name has no part that starts with an
underscore. A name that a module takes over from another one may be documented in either.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any

from sphinx.ext.autodoc.mock import mock
from sphinx.util import logging

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

log = logging.getLogger(__name__)


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
    if not app.config.api_cover_package:
        return
    documented = set(env.domains["py"].objects)
    with mock(app.config.autodoc_mock_imports):
        for module in public_modules(import_module(app.config.api_cover_package)):
            if not hasattr(module, "__all__") and has_own_names(module):
                log.warning("%s has no __all__", module.__name__, type="api_cover")
            for name in getattr(module, "__all__", ()):
                if not homes(module, name) & documented:
                    log.warning("%s.%s is on no API page", module.__name__, name, type="api_cover")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the setting (empty: no check) and the event."""
    app.add_config_value("api_cover_package", "", "")
    app.connect("env-check-consistency", check_cover)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
