"""What a run has recorded: the history of its metrics and of what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, NamedTuple, get_type_hints

import numpy as np

from fl_algos import _files
from fl_algos._arrays import Array, to_numpy

__all__ = ["METRICS", "History", "Record"]

METRICS = ("loss", "grad_norm2", "distance")
"""The figures of the server's model; the others of a :class:`Record` are costs."""


class Record(NamedTuple):
    """The figures of one moment of a run; in a :class:`History` each is an array over time."""

    rounds: int
    """Rounds so far."""
    communications: int
    """Communications so far: calls of the server's average."""
    floats_up: int
    """Numbers sent from clients to the server so far."""
    needed_up: int
    """How many of those numbers had to be sent, see :class:`~fl_algos.server.Ledger`."""
    floats_down: int
    """Numbers sent from the server to clients so far."""
    bytes_up: int
    """Bytes sent from clients to the server so far."""
    bytes_down: int
    """Bytes sent from the server to clients so far."""
    gradients: int
    """Per-sample gradients evaluated so far by all clients, those inside a prox left out."""
    proxes: int
    """Proximal points evaluated so far by all clients."""
    loss: float
    """f(theta), the (weighted) mean of the clients' functions at the server's model."""
    grad_norm2: float
    """Its squared gradient norm, ``|grad f(theta)|^2``."""
    distance: float
    """``|theta - theta*|``, NaN where theta* is not known."""


class History:
    """The records of a run, one array for each field of :class:`Record`, e.g. ``history.loss``.

    Attributes:
        records: the records, in order of time.
        theta: the server's model at the end, shape (d,).
        state: the algorithm's state at the end; None for a history that comes from a file.
        watched: for each record what `watch` has returned, None if there was none; in files and
            tables if it is numbers, or arrays of numbers, all of one shape.

    Two histories are equal if their records, models and watched numbers are; NaN equals NaN.
    """

    def __init__(
        self,
        records: Sequence[Record],
        theta: Array,
        state: Any = None,
        watched: Sequence[Any] = (),
    ) -> None:
        self.records = list(records)
        self.theta = theta
        self.state = state
        self.watched = list(watched)

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in Record._fields:
            raise AttributeError(f"a History has no {name!r}; it has {', '.join(Record._fields)}")
        return np.array([getattr(record, name) for record in self.records])

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *Record._fields})

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        last = f", the last {self.records[-1]}" if self.records else ""
        return f"<History: {len(self)} records{last}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        names, found = self._columns(), other._columns()
        return names.keys() == found.keys() and all(
            _same(x, found[name]) for name, x in names.items()
        )

    __hash__ = None  # type: ignore[assignment]

    def _columns(self) -> dict[str, np.ndarray]:
        """The records, the last model and the watched numbers, if they are numbers."""
        columns = {name: getattr(self, name) for name in Record._fields}
        columns["theta"] = to_numpy(self.theta)
        watched = _numbers(self.watched)
        return columns if watched is None else columns | {"watched": watched}

    def first(self, **bounds: float) -> Record | None:
        """The first record in which a metric is at most the given bound; None if there is none.

        >>> from fl_algos import GradientDescent, random_quadratics, run
        >>> history = run(GradientDescent(gamma=1.0), random_quadratics(K=4, d=3), rounds=200)
        >>> history.first(distance=1e-3).communications == history.first(distance=1e-3).rounds
        True
        """
        for name in bounds:
            if name not in Record._fields:
                raise ValueError(f"{name}: one of {', '.join(Record._fields)} is expected")
        for record in self.records:
            if all(getattr(record, name) <= bound for name, bound in bounds.items()):
                return record
        return None

    def to_pandas(self) -> Any:
        """A DataFrame of pandas, which needs to be there, with a row for each record.

        Where one number was watched for each record, it has a column ``watched``.
        """
        import pandas

        table = pandas.DataFrame.from_records(self.records, columns=Record._fields)
        watched = _numbers(self.watched)
        return table.assign(watched=watched) if watched is not None and watched.ndim == 1 else table

    def plot(
        self,
        y: str = "grad_norm2",
        x: str = "communications",
        ax: Any = None,
        **style: Any,
    ) -> Any:
        """One metric against another, the vertical axis logarithmic, with matplotlib.

        Args:
            y: name of a field of :class:`Record`.
            x: name of another one.
            ax: matplotlib axes; new ones if None.
            style: passed on to matplotlib's plot, e.g. ``label``.

        Returns:
            The matplotlib axes.

        Raises:
            ImportError: matplotlib is not installed.
        """
        import matplotlib.pyplot as plt

        ax = ax or plt.figure(layout="constrained").add_subplot()
        ax.semilogy(getattr(self, x), getattr(self, y), **style)
        ax.set(xlabel=x, ylabel=y)
        return ax

    def save(self, path: str | PathLike[str]) -> None:
        """Write records, last model and watched numbers to a NumPy .npz file, without a pickle.

        An older file of that name is replaced when the new one is whole: until then, and when
        something fails, it stays as it was.
        """
        with _files.replacing(path) as file:
            np.savez_compressed(file, **self._columns())  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: str | PathLike[str]) -> History:
        """Read what :meth:`save` has written; the model comes back as a NumPy array.

        Raises:
            OSError: the file can't be opened.
            ValueError: it is damaged, or not one that :meth:`save` has written.
        """
        columns = _files.arrays(path, (*Record._fields, "theta"), optional=("watched",))
        theta, watched = columns.pop("theta"), columns.pop("watched", None)
        lengths = {column.size for column in columns.values()}
        for name, kind in get_type_hints(Record).items():
            expected = "iu" if kind is int else "iuf"
            column = columns[name]
            a_column = column.ndim == 1 and len(lengths) == 1
            if not (a_column and (column.size == 0 or column.dtype.kind in expected)):
                raise _files.foreign(path, f"{name} is {_files.described(column)}")
        if theta.ndim != 1 or theta.dtype.kind != "f":
            raise _files.foreign(path, f"theta is {_files.described(theta)}")
        if watched is not None and (
            watched.dtype.kind not in "biuf" or watched.shape[:1] != columns["rounds"].shape
        ):
            raise _files.foreign(path, f"watched is {_files.described(watched)}")
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        seen = () if watched is None else watched.tolist() if watched.ndim == 1 else [*watched]
        return cls([Record(*row) for row in rows], theta, watched=seen)


def _numbers(watched: Sequence[Any]) -> np.ndarray | None:
    """What was watched as an array (records, ...); None if that is no numbers of one shape."""
    arrays = [to_numpy(x) for x in watched]
    if not arrays or any(x.dtype.kind not in "biuf" or x.shape != arrays[0].shape for x in arrays):
        return None
    return np.stack(arrays)


def _same(x: np.ndarray, y: np.ndarray) -> bool:
    return np.array_equal(x, y, equal_nan=x.dtype.kind == y.dtype.kind == "f")
