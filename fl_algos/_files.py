"""Files that are whole or not there, and arrays from files that nobody vouches for."""

from __future__ import annotations

import io
import os
import secrets
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO

import numpy as np


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of the one at this path once it is whole.

    It is written in the same folder, has the older one's permissions, and leaves nothing behind
    if something fails. What is no regular file, such as /dev/stdout, is written to as it is.
    """
    target = Path(path).resolve()  # a link stays a link
    if target.exists() and not target.is_file():
        with open(target, "wb") as file:
            yield file
        return
    aside = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with open(aside, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # a full disk is noticed here at the latest
        if target.exists():
            shutil.copymode(target, aside)
        os.replace(aside, target)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def arrays(
    path: str | PathLike[str], names: Sequence[str], optional: Sequence[str] = ()
) -> dict[str, np.ndarray]:
    """Arrays of these names from an .npz file, none of them pickled.

    Those that are optional come along where they are there.

    Raises:
        OSError: the file can't be opened.
        ValueError: it is damaged, or another one.
    """
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                there = set(archive.namelist())
                # Read whole: only at its end a member is compared with its checksum.
                wanted = [name for name in map(_member, (*names, *optional)) if name in there]
                data = {name: archive.read(name) for name in wanted}
        except Exception as error:  # damage has many kinds: zipfile and zlib raise a dozen
            raise foreign(path, str(error) or type(error).__name__) from None
    for name in names:
        if _member(name) not in data:
            raise foreign(path, f"it has no {name}")
    found = [*names, *(name for name in optional if _member(name) in data)]
    return {name: _array(path, name, data[_member(name)]) for name in found}


def _member(name: str) -> str:
    return f"{name}.npy"


def _array(path: str | PathLike[str], name: str, data: bytes) -> np.ndarray:
    try:
        x: np.ndarray = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except Exception:  # NumPy would advise to load it all the same, unsafely
        raise foreign(path, f"{name} is no array of numbers") from None
    return x


def foreign(path: str | PathLike[str], reason: str) -> ValueError:
    """The error for a file that can't be what it should be."""
    return ValueError(f"{os.fspath(path)}: a file that save has written is expected: {reason}")


def described(x: np.ndarray) -> str:
    """The shape and type of an array, for a message."""
    return f"an array of {x.dtype} of shape {x.shape}"
