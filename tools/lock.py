"""Resolve constraints.txt anew: the newest versions of all that the package and its extras need.

pip resolves for this platform and this Python, the lowest one; what only another one needs is
added, as IPython's appnope on macOS. No address gets into the file, and no local suffix: torch is
pinned as ``torch==2.13.0``, so that every platform finds its own build, and what a build for CUDA
brings along is not pinned.
"""

import itertools
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))  # where PYTHONSAFEPATH is set, it is not there

from project import BUILD_TOOLS, name_of, pins, requirements  # noqa: E402

EXTRAS = ("book", "data", "fast", "test", "torch")
PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS = (
    {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
)
OF_CUDA = re.compile(r"(nvidia|cuda|triton)(-|$)")
Installed = list[dict[str, Any]]
"""What a report of pip lists: of each package where it comes from, and its metadata."""


def resolved(wanted: Iterable[str], *options: str) -> Installed:
    """Let pip say what it would install where nothing is installed yet."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--dry-run")
        how = ("--ignore-installed", "--only-binary", ":all:", "--report", str(report))
        subprocess.run([*pip, *how, *options, *wanted], check=True)
        found: Installed = json.loads(report.read_text("utf-8"))["install"]
        return found


def needed_elsewhere(installed: Installed) -> list[str]:
    """List the requirements of these packages that only another platform or Python has."""
    names = {name_of(each["metadata"]["name"]) for each in installed}
    environments = [
        {**platform, "python_version": python, "python_full_version": f"{python}.0", "extra": ""}
        for platform, python in itertools.product(PLATFORMS, PYTHONS)
    ]
    found = set()
    for each in installed:
        for text in each["metadata"].get("requires_dist", []):
            requirement = Requirement(text)
            marker = requirement.marker
            missing = marker and name_of(requirement.name) not in names
            if missing and marker and any(map(marker.evaluate, environments)):
                found.add(f"{requirement.name}{requirement.specifier}")
    return sorted(each for each in found if not OF_CUDA.match(name_of(each)))


def pinned(installed: Installed) -> list[str]:
    """List what is installed as pins, in alphabetical order."""
    found = (each["metadata"] for each in installed)
    pairs = {each["name"]: each["version"].partition("+")[0] for each in found}
    names = sorted(pairs, key=str.lower)
    return [f"{name}=={pairs[name]}" for name in names if not OF_CUDA.match(name_of(name))]


def changes(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Say which pins are others now, which are new, and which are gone."""
    old, new = ({name_of(pin): pin.partition("==")[2] for pin in each} for each in (before, after))
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            yield f"{name}: {old.get(name, 'not there')} -> {new.get(name, 'gone')}"


def main() -> int:
    """Write constraints.txt, its head as it was, and print what has changed."""
    if sys.version_info[:2] != (3, 11):
        print("Versions are resolved on the lowest Python: make lock PYTHON=python3.11")
        return 1
    constraints = ROOT / "constraints.txt"
    wanted = {*requirements(ROOT / "pyproject.toml", *EXTRAS), *BUILD_TOOLS}
    installed = resolved(sorted(wanted))
    if others := needed_elsewhere(installed):
        installed += resolved(others, "--no-deps")
    before, after = pins(constraints), pinned(installed)
    lines = constraints.read_text("utf-8").splitlines()
    head = itertools.takewhile(lambda line: line.startswith("#"), lines)
    constraints.write_text("\n".join([*head, *after]) + "\n", "utf-8")
    print("\n".join(changes(before, after)) or "No version has changed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
