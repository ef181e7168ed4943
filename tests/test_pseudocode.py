"""Pseudocode equals code: cover, equal, lock and teeth, for every block of the book."""

from __future__ import annotations

import pytest

from fl_algos import draw, server
from literal.comparison import Machinery
from support import blocks, cover
from support.mutate import planted

FAULTS = [(name, fault) for name in blocks.NAMES for fault in blocks.faults(name)]
SHARED_FAULTS = {
    "the other side of the coin": (
        draw,
        [("coin(self.t) < probability", "coin(self.t) >= probability")],
    ),
    "always the first round's coin": (draw, [("self.draws.coin(self.t)", "self.draws.coin(0)")]),
    "the server sums": (server, [(".mean(x_k, axis=0)", ".sum(x_k, axis=0)")]),
    "an average counts twice": (server, [("communications += 1", "communications += 2")]),
    "floats of one client only": (
        server,
        [("floats_up += _floats(x_k)", "floats_up += _floats(x_k[0])")],
    ),
    "a broadcast counts once for all": (
        server,
        [("floats_down += receivers * _floats", "floats_down += _floats")],
    ),
}


def test_every_block_is_known():
    assert blocks.NAMES


@pytest.mark.parametrize("name", blocks.NAMES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_cover(name, language):
    errors = cover.uncovered(blocks.block(name, language), blocks.source(name), {"init", "round"})
    assert not errors


@pytest.mark.parametrize("name", blocks.NAMES)
def test_cover_of_the_literal_transcription(name):
    block, source = blocks.block(name), blocks.literal_source(name)
    assert not cover.uncovered(block, source, {name}, literal=True)


@pytest.mark.parametrize("name", blocks.NAMES)
def test_lock(name):
    assert not cover.unlocked(blocks.block(name), blocks.literal_source(name))


@pytest.mark.parametrize("name", blocks.NAMES)
def test_equal(name):
    blocks.literal(name).check(blocks.module(name))


@pytest.mark.parametrize("name", blocks.NAMES)
def test_there_are_teeth(name):
    assert blocks.literal(name).FAULTS


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_teeth(name, fault):
    literal = blocks.literal(name)
    with (
        planted(blocks.module(name), literal.FAULTS[fault]) as faulty,
        pytest.raises(AssertionError),
    ):
        literal.check(faulty)


@pytest.mark.parametrize("fault", SHARED_FAULTS)
def test_teeth_of_what_is_shared(fault):
    module, text = SHARED_FAULTS[fault]
    literal = blocks.literal("fedpd")
    with planted(module, text) as faulty:
        machinery = Machinery(
            getattr(faulty, "Draws", draw.Draws), getattr(faulty, "Server", server.Server)
        )
        with pytest.raises(AssertionError):
            literal.check(blocks.module("fedpd"), machinery)


# The checker is checked: each way of leaving the block must be noticed.
DEPARTURES = {
    "a line left out": (
        "        lambda_k = lambda_k + (theta_k - theta_k0) / self.s  # 7\n",
        "",
    ),
    "a statement without a tag": ("self.s * lambda_k  # 8", "self.s * lambda_k"),
    "a statement of its own": (
        "        if draw",
        "        theta_k = 2 * theta_k\n        if draw",
    ),
    "work hidden in the return": (
        "        return State(theta, theta_k, theta_k0, lambda_k, oracle_k)",
        "        return State(theta, 2 * theta_k, theta_k0, lambda_k, oracle_k)",
    ),
    "lines in another order": ("# 7\n", "# 8\n"),
    "a line that there is not": ("# 16", "# 26"),
}


@pytest.mark.parametrize("departure", DEPARTURES)
def test_cover_notices(departure):
    sound, changed = DEPARTURES[departure]
    source = blocks.source("fedpd")
    assert sound in source
    source = source.replace(sound, changed)
    assert cover.uncovered(blocks.block("fedpd"), source, {"init", "round"})


@pytest.mark.parametrize("literal", [False, True])
def test_cover_notices_a_line_of_text_that_is_no_heading(literal):
    block = blocks.block("fedpd")
    source = blocks.literal_source("fedpd") if literal else blocks.source("fedpd")
    functions = {"fedpd"} if literal else {"init", "round"}
    assert block[1].text == r"{\bfseries Initiation:}"
    for text, noticed in (
        (r"{\bfseries Initiation}", True),
        (r"$\hspace{1.3em}$ shuffle the clients", True),
        ("Initiation:", False),
        (r"$\hspace{1.3em}$ {\bfseries 初始化：}", False),
    ):
        block[1] = block[1]._replace(text=text)
        assert bool(cover.uncovered(block, source, functions, literal)) is noticed, text


def test_cover_notices_a_missing_function():
    assert cover.uncovered(blocks.block("fedpd"), "x = 1", {"round"})


def test_lock_notices_an_edited_line():
    block = blocks.block("fedpd")
    line = block[7]
    block[7] = line._replace(text=line.text.replace("+", "-"))
    (error,) = cover.unlocked(block, blocks.literal_source("fedpd"))
    assert "# 7 " in error
