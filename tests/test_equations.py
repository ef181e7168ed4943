"""Displayed equations equal code: each is carried out, locked and has teeth, or is named here."""

from __future__ import annotations

from importlib import import_module

import pytest

from equations.states import STATEMENTS
from support.displayed import equations, of_the_book
from support.mutate import planted

for page in ("errata", "operator_splitting", "overview", "primal_dual", "proximal", "skipping"):
    import_module(f"equations.{page}")

# Not carried out: the fingerprint of the TeX that was read, and why there is nothing to compare.
NAMED = {
    "consensus-set": ("218dd9", "the problem, in the form that is split; nothing is claimed of it"),
    "envelope": ("24e115", "defines it; what is claimed of it is carried out in fedprox-envelope"),
    "fedpd-constraint": ("c79391", "the problem with a copy of the model for each client"),
    "fedpd-theorem-3": (
        "8e3e23",
        "quoted from the paper; the runs below it, and test_fedpd_rates.py, show where it fails",
    ),
    "algorithms/operator_splitting, 43551c": (
        "43551c",
        "defines image functions; those of this problem are the summands of consensus-set",
    ),
    "proxskip-constraint": ("4061dc", "the problem with a consensus constraint"),
}
BOOK = of_the_book()
FAULTS = [(label, n) for label, found in STATEMENTS.items() for n in range(len(found.faults))]


def test_every_equation_is_carried_out_or_named():
    missing = BOOK.keys() - STATEMENTS.keys() - NAMED.keys()
    assert not missing, "\n".join(
        f"{BOOK[label].place}: {label} {BOOK[label].fingerprint} is neither carried out in "
        "tests/equations nor named in tests/test_equations.py"
        for label in sorted(missing)
    )


def test_no_equation_is_gone():
    assert (STATEMENTS.keys() | NAMED.keys()) <= BOOK.keys()
    assert not STATEMENTS.keys() & NAMED.keys()


@pytest.mark.parametrize("label", sorted(BOOK))
def test_lock(label):
    read = STATEMENTS[label].fingerprint if label in STATEMENTS else NAMED.get(label, [None])[0]
    now = BOOK[label].fingerprint
    assert read == now, f"{BOOK[label].place}: read {label} again, then write {now} for {read}"


@pytest.mark.parametrize("label", sorted(STATEMENTS))
def test_equal(label):
    found = STATEMENTS[label]
    found.check(found.module)


@pytest.mark.parametrize(("label", "n"), FAULTS)
def test_teeth(label, n):
    found = STATEMENTS[label]
    with planted(found.module, found.faults[n]) as faulty, pytest.raises(AssertionError):
        found.check(faulty)


def test_every_equation_has_teeth():
    assert all(found.faults for found in STATEMENTS.values())


PAGE = r"""
.. math::
   :label: one

   x = y
   + z

.. math:: u = v

* A remark

  .. math::

     v = w
"""


def test_equations_are_found_with_and_without_label():
    labels, found = zip(*equations("page", PAGE), strict=True)
    assert [each.tex for each in found] == ["x = y + z", "u = v", "v = w"]
    assert [each.place for each in found] == [f"docs/en/page.rst:{n}" for n in (2, 8, 12)]
    assert labels == ("one", *(f"page, {each.fingerprint}" for each in found[1:]))


def test_a_flipped_sign_changes_the_fingerprint():
    (_, before), *_ = equations("page", PAGE)
    (_, after), *_ = equations("page", PAGE.replace("+ z", "- z"))
    assert before.fingerprint != after.fingerprint
