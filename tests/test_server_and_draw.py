"""The ledger counted by hand, and the coins."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from numpy.testing import assert_allclose

from fl_algos import FedPD, GradientDescent, LogisticRegression, Server, random_quadratics, run
from fl_algos._table import entries
from fl_algos.draw import COINS_PER_BLOCK, Draws


def test_three_communications_of_four_clients_in_dimension_ten():
    problem = random_quadratics(K=4, d=10)
    server = Server(4)
    run(GradientDescent(gamma=0.5), problem, rounds=3, server=server)
    ledger = server.ledger
    assert (ledger.communications, ledger.floats_up, ledger.floats_down) == (3, 120, 120)
    assert (ledger.bytes_up, ledger.bytes_down) == (960, 960)
    assert ledger.sent_k.tolist() == [3, 3, 3, 3]


def test_nothing_sent_is_nothing_counted():
    problem = random_quadratics(K=4, d=10)
    history = run(FedPD(s=1.0, p=1 - 1e-12), problem, rounds=80)
    assert history.rounds[-1] == 80
    for name in ("communications", "floats_up", "floats_down", "bytes_up", "bytes_down"):
        assert getattr(history, name)[-1] == 0


def test_one_communication_whatever_it_carries():
    server = Server(2)
    mean, other = server.average(np.array([[1.0], [2.0]]), np.array([[0.0, 6.0], [2.0, 0.0]]))
    assert_allclose(mean, [1.5])
    assert_allclose(other, [1.0, 3.0])
    assert (server.ledger.communications, server.ledger.floats_up) == (1, 6)
    first, second = server.broadcast(mean, other)
    assert_allclose(first, [[1.5], [1.5]])
    assert_allclose(second, [[1.0, 3.0], [1.0, 3.0]])
    assert server.ledger.floats_down == 6


def test_what_the_server_could_work_out_is_sent_but_not_needed():
    server, x_k = Server(3), np.zeros((3, 5))
    server.average(x_k, x_k[:, :2], implied=1)
    server.average(x_k[:2], clients=np.array([0, 2]))
    assert (server.ledger.floats_up, server.ledger.needed_up) == (15 + 6 + 10, 15 + 10)
    for implied in (-1, 3, 0.5):
        with pytest.raises(ValueError, match=f"implied = {implied}"):
            server.average(x_k, x_k, implied=implied)
    assert server.ledger.communications == 2


def test_a_missing_client_is_an_error():
    with pytest.raises(ValueError, match=r"rows_k has shape \(2, 5\): \(3, 5\) is expected"):
        Server(3).average(np.zeros((2, 5)))


@pytest.mark.parametrize(
    "rows",
    [
        (),
        (np.zeros((3, 5)), np.zeros((2, 5))),
        (np.zeros((3, 5)), np.zeros(3)),
        (np.zeros((3, 5)), np.zeros((3, 5), dtype=int)),
        (np.zeros((3, 5)), [[0.0]] * 3),
    ],
)
def test_what_is_refused_is_not_counted(rows):
    server = Server(3)
    with pytest.raises(ValueError, match="rows_k"):
        server.average(*rows)
    assert (server.ledger.communications, server.ledger.floats_up) == (0, 0)


def test_a_number_of_four_bytes_is_counted_as_such():
    server = Server(3)
    server.broadcast(server.average(np.zeros((3, 5), np.float32)))
    assert (server.ledger.bytes_up, server.ledger.bytes_down) == (60, 60)
    with pytest.raises(ValueError, match="thetas"):
        server.broadcast()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clients": np.array([0, 5])}, r"numbers in 0, ..., 2 are expected"),
        ({"clients": np.array([-1, 1])}, r"numbers in 0, ..., 2 are expected"),
        ({"clients": np.array([1, 1])}, "distinct numbers of clients"),
        ({"clients": np.array([], dtype=int)}, "distinct numbers of clients"),
        ({"clients": np.array([0, 2]), "weights": [1, 2, 3]}, "a number for each of 2 clients"),
        ({"clients": np.array([0, 2]), "weights": [1, 0]}, r"weights\[1\] = 0"),
        ({"clients": np.array([0, 2]), "weights": [1, -1]}, r"weights\[1\] = -1"),
    ],
)
def test_bad_senders_and_weights_are_refused_before_anything_is_counted(options, message):
    server = Server(3)
    with pytest.raises(ValueError, match=message):
        server.average(np.zeros((2, 4)), **options)
    assert (server.ledger.communications, server.ledger.floats_up) == (0, 0)


def test_huge_weights_are_weights_too():
    found = Server(2).average(np.array([[0.0], [4.0]]), weights=[1e308, 1e308])
    assert_allclose(found, [2.0])


def draws(seed=0):
    return Draws(seed, random_quadratics(K=2, d=2))


def test_a_coin_is_one_for_the_whole_round_and_for_any_order_of_asking():
    rounds = [0, 5, COINS_PER_BLOCK - 1, COINS_PER_BLOCK, 3 * COINS_PER_BLOCK + 7]
    forwards = {t: draws()[t].with_probability(0.5) for t in rounds}
    together = draws()
    backwards = {t: together[t].with_probability(0.5) for t in reversed(rounds)}
    assert forwards == backwards
    draw = together[5]
    assert len({draw.with_probability(0.5) for _ in range(20)}) == 1


def test_the_coin_has_the_probability_it_is_asked_for():
    n = 20_000
    coins = draws(seed=3)
    for probability in (0.0, 0.2, 0.5, 0.9, 1.0):
        heads = sum(coins[t].with_probability(probability) for t in range(n))
        deviation = (n * probability * (1 - probability)) ** 0.5
        assert abs(heads - n * probability) <= 4 * deviation
    assert draws(1).coin(0) != draws(2).coin(0)


def regression(*sizes):
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(n, 2)) for n in sizes]
    return LogisticRegression(X, [np.arange(n) % 2 for n in sizes], l2=0.1)


def own_rows(batch, k):
    return batch.rows_k[k][batch.weights_k[k] > 0].tolist()


def test_each_pass_over_a_client_uses_each_of_its_samples_once():
    problem = regression(10, 4, 1)
    draw = Draws(0, problem, batch_size=3)[5]
    ten = [own_rows(draw.batch(r), 0) for r in range(8)]
    assert [len(rows) for rows in ten] == [3, 3, 3, 1] * 2
    for epoch in (ten[:4], ten[4:]):
        assert sorted(chain(*epoch)) == list(range(10))
    assert ten[:4] != ten[4:]
    four = [own_rows(draw.batch(r), 1) for r in range(4)]
    assert sorted(four[0] + four[1]) == sorted(four[2] + four[3]) == [0, 1, 2, 3]
    assert [own_rows(draw.batch(r), 2) for r in range(3)] == [[0]] * 3


def test_a_client_with_fewer_samples_than_a_batch_takes_all_of_them():
    batch = Draws(0, regression(3, 20), batch_size=8)[0].batch(0)
    assert sorted(own_rows(batch, 0)) == [0, 1, 2]
    assert_allclose(batch.weights_k.sum(axis=1), [1, 1])
    assert_allclose(sorted(batch.weights_k[0])[-3:], [1 / 3] * 3)


def test_batches_depend_on_seed_round_and_step_alone_and_differ_between_clients():
    problem = regression(50, 50)
    steps = [(seed, t, r) for seed in (0, 1) for t in (0, 1) for r in (0, 1)]
    drawn = {key: Draws(key[0], problem, 5)[key[1]].batch(key[2]).rows_k for key in steps}
    assert len({rows.tobytes() for rows in drawn.values()}) == len(steps)
    draws = Draws(1, problem, 5)
    for seed, t, r in reversed([key for key in steps if key[0] == 1]):
        assert (draws[t].batch(r).rows_k == drawn[seed, t, r]).all()
    assert all((rows[0] != rows[1]).any() for rows in drawn.values())


def test_without_a_batch_size_a_step_looks_at_everything():
    assert Draws(0, regression(3, 20))[0].batch(0) is None


def test_uniform_numbers_depend_on_seed_round_and_purpose_alone():
    numbers = {
        (seed, t, purpose): tuple(draws(seed)[t].uniform(purpose, (3,)))
        for seed in (0, 1)
        for t in (0, 1)
        for purpose in ("noise", "mask")
    }
    assert len(set(numbers.values())) == len(numbers)
    assert numbers[1, 1, "mask"] == tuple(draws(1)[1].uniform("mask", (3,)))
    assert all(0 <= x < 1 for triple in numbers.values() for x in triple)


def test_uniform_numbers_arrive_where_the_problem_is():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    problem = random_quadratics(K=2, d=2)
    found = Draws(3, problem.to("cpu", "float32"))[2].uniform("noise", (4, 2))
    assert (found.dtype, found.shape) == (torch.float32, (4, 2))
    assert_allclose(found, Draws(3, problem)[2].uniform("noise", (4, 2)), rtol=1e-6)


@pytest.mark.parametrize("sizes", [(10, 4, 1), (6, 6, 6, 6), (3000, 2, 2000, 1, 1)])
def test_only_some_rows_of_the_table_of_keys_are_made_and_they_are_those_of_the_whole(sizes):
    problem, K, most = regression(*sizes), len(sizes), max(sizes)
    for participants in (1, 2, K):
        draws = Draws(3, problem, batch_size=most, participants=participants)
        for t in range(4):
            keys_k = draws.stream("epoch 1", t).random((K, most))
            clients, batch = draws.clients(t), draws[t].batch(1)
            for place, k in enumerate(clients):
                assert own_rows(batch, place) == keys_k[k, : sizes[k]].argsort().tolist()


@pytest.mark.parametrize("width", [1, 3, 4, 10, 2001])
def test_entries_of_a_stream_are_what_it_would_give_in_order(width):
    whole = draws().stream("mask", 5).random(50_000)
    rng = np.random.default_rng(width)
    for number in (0, 1, 2, 24):
        rows = np.sort(rng.choice(50_000 // width, number, replace=False))
        lengths = rng.integers(1, width + 1, number)
        found = entries(draws().stream("mask", 5), rows * width, lengths)
        each = [whole[k * width : k * width + n] for k, n in zip(rows, lengths, strict=True)]
        assert found.tolist() == np.concatenate([np.empty(0), *each]).tolist()


def test_each_client_has_uniform_numbers_of_its_own_whoever_takes_part():
    problem = random_quadratics(K=7, d=2)
    for participants in (1, 3, 7):
        draw = Draws(0, problem, participants=participants)[4]
        everyone = draw.uniform("mask", (7, 2, 3))
        assert (draw.uniform_k("mask", (2, 3)) == everyone[draw.clients]).all()
        assert draw.uniform_k("mask", ()).shape == (participants,)
    assert len(set(draw.uniform_k("mask", ()).tolist())) == 7
