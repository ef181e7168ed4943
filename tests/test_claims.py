"""A number that the book states is compared with what the run gives."""

from __future__ import annotations

import json

import pytest

from fl_algos.claims import ClaimFailed, claim

STATED = {
    "loose": {"value": 100.0, "rtol": 0.05, "atol": 0.0},
    "near zero": {"value": 0.0, "rtol": 0.0, "atol": 1e-3},
    "exact": {"value": 7.0, "rtol": 0.0, "atol": 0.0},
}


@pytest.fixture
def stated(tmp_path, monkeypatch):
    path = tmp_path / "claims.json"
    path.write_text(json.dumps(STATED))
    monkeypatch.setenv("FL_ALGOS_CLAIMS", str(path))
    monkeypatch.delenv("FL_ALGOS_CLAIMS_RECORD", raising=False)


@pytest.mark.usefixtures("stated")
def test_a_number_within_its_tolerance_passes():
    claim("loose", 104.9, rtol=0.05)
    claim("loose", 95.1, rtol=0.05)
    claim("near zero", -9e-4, atol=1e-3)
    claim("exact", 7)


@pytest.mark.usefixtures("stated")
@pytest.mark.parametrize(
    ("key", "value", "tolerances"),
    [
        ("loose", 105.2, {"rtol": 0.05}),
        ("loose", 94.8, {"rtol": 0.05}),
        ("near zero", 1.1e-3, {"atol": 1e-3}),
        ("exact", 8, {}),
        ("loose", 100.0, {"rtol": 0.5}),  # a tolerance that was widened to let a number pass
        ("exact", 7, {"atol": 1.0}),
    ],
)
def test_another_number_or_tolerance_fails(key, value, tolerances):
    with pytest.raises(ClaimFailed, match=key):
        claim(key, value, **tolerances)


@pytest.mark.usefixtures("stated")
def test_a_number_that_is_not_stated_fails():
    with pytest.raises(KeyError, match="make claims"):
        claim("unknown", 1.0)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "7", None])
def test_only_finite_numbers_are_claimed(value):
    with pytest.raises(ValueError, match="value"):
        claim("exact", value)


@pytest.mark.parametrize("name", ["rtol", "atol"])
def test_a_tolerance_is_not_negative(name):
    with pytest.raises(ValueError, match=name):
        claim("exact", 7, **{name: -1.0})


def test_the_file_is_found_from_a_notebooks_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("FL_ALGOS_CLAIMS", raising=False)
    monkeypatch.delenv("FL_ALGOS_CLAIMS_RECORD", raising=False)
    (tmp_path / "claims.json").write_text(json.dumps(STATED))
    (tmp_path / "en").mkdir()
    monkeypatch.chdir(tmp_path / "en")
    with pytest.raises(ClaimFailed):
        claim("exact", 8)


def test_a_notebook_alone_compares_nothing(tmp_path, monkeypatch):
    monkeypatch.delenv("FL_ALGOS_CLAIMS", raising=False)
    monkeypatch.delenv("FL_ALGOS_CLAIMS_RECORD", raising=False)
    (tmp_path / "alone").mkdir()
    monkeypatch.chdir(tmp_path / "alone")
    claim("unknown", 8)


def test_a_file_that_is_named_and_missing_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("FL_ALGOS_CLAIMS", str(tmp_path / "clams.json"))
    monkeypatch.delenv("FL_ALGOS_CLAIMS_RECORD", raising=False)
    with pytest.raises(FileNotFoundError, match="clams"):
        claim("exact", 7)


def test_recording_writes_and_does_not_compare(tmp_path, monkeypatch):
    path = tmp_path / "record.jsonl"
    monkeypatch.setenv("FL_ALGOS_CLAIMS_RECORD", str(path))
    claim("exact", 8)
    claim("new", 1.5, rtol=0.1)
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"exact": {"value": 8.0, "rtol": 0.0, "atol": 0.0}},
        {"new": {"value": 1.5, "rtol": 0.1, "atol": 0.0}},
    ]
