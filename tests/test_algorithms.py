"""An algorithm is whole: each part is there and written, exported, told of, and as careful as all.

Whatever lacks something fails by its name, and alone.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import fl_algos
from fl_algos import random_quadratics, run
from measured.algorithm_figures import measure
from support import blocks
from support.algorithms import CLASSES, EXAMPLES, description, example

NAN = float("nan")
each_name = pytest.mark.parametrize("name", blocks.NAMES)
each_example = pytest.mark.parametrize("name", EXAMPLES)


@pytest.mark.parametrize("kind", blocks.PARTS)
@each_name
def test_every_part_is_there(name, kind):
    path = blocks.part(name, kind)
    assert path.is_file(), f"{path.relative_to(blocks.ROOT)} is missing"


@each_name
def test_nothing_is_left_to_write(name):
    parts = [blocks.part(name, kind) for kind in blocks.PARTS]
    pages = [page for pages in blocks.chapters(name).values() for page in pages]
    left = [
        f"{path.relative_to(blocks.ROOT)}:{number}: {line.strip()}"
        for path in filter(lambda path: path.is_file(), [*parts, *pages])
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if "TODO" in line
    ]
    assert not left, "\n".join(["still to write:", *left])


@each_name
def test_the_class_is_exported(name):
    module = f"fl_algos.algorithms.{name}"
    classes = [each for each in CLASSES.values() if each.__module__ == module]
    assert len(classes) == 1, f"fl_algos/__init__.py exports {len(classes)} algorithms of {module}"


@pytest.mark.parametrize("language", ["en", "zh"])
@each_name
def test_a_chapter_prints_the_block_beside_the_code_and_the_quick_facts(name, language):
    pages = blocks.chapters(name)[language]
    where = f"docs/{language}/algorithms"
    assert len(pages) == 1, f"{len(pages)} pages of {where} include _algo_pcode/{name}.rst"
    text = pages[0].read_text("utf-8")
    assert f".. beside:: fl_algos.algorithms.{name}." in text
    assert f".. quick-facts:: {name}\n" in text


@each_name
def test_the_description_speaks_of_this_algorithm(name):
    assert type(example(name)).__module__ == f"fl_algos.algorithms.{name}"


@each_name
def test_the_algorithm_runs(name):
    run(example(name), random_quadratics(K=4, d=3), rounds=10)


@each_name
def test_the_description_says_what_a_client_keeps(name):
    kept = measure(fl_algos, example(name)).memory
    for language, words in description(name).words.items():
        named = words.keeps.count(":math:")
        assert named == kept, f"{language}: {named} vectors are named, a client keeps {kept}"


@each_example
def test_an_algorithm_refuses_hyperparameters_that_are_no_numbers(name):
    algorithm = EXAMPLES[name]
    numbers = [
        field.name
        for field in dataclasses.fields(algorithm)
        if isinstance(getattr(algorithm, field.name), float)
    ]
    assert numbers
    for field in numbers:
        with pytest.raises(ValueError, match=f"{field} = nan"):
            dataclasses.replace(algorithm, **{field: NAN})


@each_example
def test_a_run_can_be_repeated_and_gone_on_with(name):
    algorithm, problem = EXAMPLES[name], random_quadratics(K=4, d=3)
    whole, again = (run(algorithm, problem, rounds=20, seed=3).theta for _ in range(2))
    assert np.array_equal(whole, again)
    state = run(algorithm, problem, rounds=9, seed=3).state
    assert np.array_equal(run(algorithm, problem, 11, seed=3, state=state, start=9).theta, whole)


@each_example
def test_a_round_leaves_its_state_alone(name):
    algorithm, problem = EXAMPLES[name], random_quadratics(K=4, d=3)
    before = run(algorithm, problem, rounds=5).state
    copies = [np.copy(each) for each in before if isinstance(each, np.ndarray)]
    run(algorithm, problem, rounds=5, state=before, start=5)
    after = [each for each in before if isinstance(each, np.ndarray)]
    assert all(map(np.array_equal, copies, after))


@each_example
def test_float32_stays_float32(name):
    problem = random_quadratics(K=4, d=3).to(None, "float32")
    state = run(EXAMPLES[name], problem, rounds=5).state
    assert {x.dtype for x in state if isinstance(x, np.ndarray)} == {np.dtype("float32")}
