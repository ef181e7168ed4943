"""Results of notebooks are kept for one state of the package, the pins and the claims."""

from __future__ import annotations

from nb import cache


def test_state_of_a_package(tmp_path, monkeypatch):
    part = tmp_path / "demo" / "_inner" / "part.py"
    part.parent.mkdir(parents=True)
    part.write_text("secret = 1")
    (tmp_path / "demo" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    pins, absent = tmp_path / "pins.txt", tmp_path / "absent.json"
    pins.write_text("a==1")
    states = [cache.state_of("demo", pins, absent)]
    assert cache.state_of("demo", pins, absent) == states[0]
    for path in (pins, absent, part):
        path.write_text("changed = 1")
        states.append(cache.state_of("demo", pins, absent))
    assert len(set(states)) == len(states)


def test_folders_of_other_states_are_removed(tmp_path):
    for name in ("old", "new"):
        (tmp_path / "cache" / name).mkdir(parents=True)
    cache.remove_others(tmp_path / "cache" / "new")
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["new"]
