"""Rows of random numbers of a table that is never there as a whole."""

from __future__ import annotations

import numpy as np

PER_STEP = 4  # numbers that Philox makes at once
GAP = 1024  # numbers that are as soon made as skipped


def entries(stream: np.random.Generator, first: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Of the numbers ``stream.random(...)`` those from first_i on, `number_i` of them, in a row.

    To get to one costs the same wherever it is. The stream is a new one, of Philox, which makes one
    number of 64 bits for each of them; first_i + number_i <= first_(i+1).
    """
    if len(first) == 0:
        return np.empty(0)
    last = first + number
    far = np.flatnonzero(first[1:] - last[:-1] > GAP) + 1
    begins = np.concatenate([first[:1], first[far]]) // PER_STEP * PER_STEP
    ends = np.concatenate([last[far - 1], last[-1:]])
    bits, pieces, position = stream.bit_generator, [], 0
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        if begin > position:
            bits.advance((begin - position) // PER_STEP)  # type: ignore[attr-defined]
        pieces.append(stream.random(end - begin))
        position = begin + -(-(end - begin) // PER_STEP) * PER_STEP
    made: np.ndarray = np.concatenate(pieces)
    # Where the first number of each of them lies in what has been made.
    piece = np.zeros(len(first), dtype=np.intp)
    piece[far] = 1
    piece = piece.cumsum()
    offset = np.concatenate([[0], (ends - begins).cumsum()[:-1]]) - begins
    found: np.ndarray = made[ranges(first + offset[piece], number)]
    return found


def ranges(first: np.ndarray, number: np.ndarray) -> np.ndarray:
    """first_0, first_0 + 1, ..., `number_0` of them, then those from first_1 on, and so on."""
    ends = number.cumsum()
    places: np.ndarray = np.arange(ends[-1] if len(ends) else 0) + np.repeat(
        first - (ends - number), number
    )
    return places
