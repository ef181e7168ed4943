"""A lock on a folder that ends when the last process ends that holds it, however it ends.

It is the system's own lock on a file (flock), and the processes that a holder starts hold it, too:
a Sphinx whose make was killed goes on writing, and nobody else may write meanwhile.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Held(Exception):
    """Somebody holds the lock.

    Attributes:
        words: what the holder said of itself.
        processes: those that hold it, a line each; none where the system does not tell.
    """

    def __init__(self, words: str, processes: list[str]) -> None:
        super().__init__(words)
        self.words = words
        self.processes = processes


@contextmanager
def held(path: Path, words: str) -> Iterator[None]:
    """Hold the lock on a file, which is made if need be, or raise Held.

    Children inherit it if `close_fds=False` is given to subprocess.
    """
    lock = _take(path)
    try:
        os.set_inheritable(lock, True)
        os.ftruncate(lock, 0)
        os.write(lock, words.encode())
        yield
    finally:
        os.close(lock)


def _take(path: Path) -> int:
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno == errno.EWOULDBLOCK:
                words = os.read(lock, 1000).decode(errors="replace")
                os.close(lock)
                raise Held(words, _processes(path)) from None
            # Some network file systems have no locks: then it has to go without.
        if _is_at(path, lock):
            return lock
        os.close(lock)  # somebody has removed the file meanwhile


def _is_at(path: Path, lock: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(lock))
    except FileNotFoundError:
        return False


def _processes(path: Path) -> list[str]:
    """The processes that have the file open, where there is a /proc."""
    file, found = str(path.resolve()), []
    for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda folder: int(folder.name)):
        try:
            if file in map(os.readlink, (folder / "fd").iterdir()):
                words = (folder / "cmdline").read_text("utf-8", "replace").split("\0")
                found.append(f"{folder.name}  {' '.join(words).strip()}")
        except OSError:  # it has ended, or is another user's
            continue
    return found
