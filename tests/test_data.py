"""Splits of samples into clients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fl_algos.data import digits, split_by_label, split_dirichlet, split_iid


def is_partition(clients, n, K):
    together = np.concatenate(clients)
    return len(clients) == K and min(map(len, clients)) >= 1 and sorted(together) == list(range(n))


@settings(max_examples=60)
@given(data=st.data())
def test_every_split_uses_each_sample_once_and_leaves_no_client_empty(data):
    n = data.draw(st.integers(1, 60), label="n")
    K = data.draw(st.integers(1, n), label="K")
    y = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n), label="y"))
    alpha = data.draw(st.sampled_from([1e-300, 1e-3, 0.01, 0.5, 10.0, 1e6]), label="alpha")
    seed = data.draw(st.integers(0, 99), label="seed")
    assert is_partition(split_iid(n, K, seed), n, K)
    assert is_partition(split_by_label(y, K), n, K)
    assert is_partition(split_dirichlet(y, K, alpha, seed), n, K)


@pytest.fixture(scope="module")
def y():
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    return digits().y


def labels_per_client(clients, y):
    return np.mean([len(np.unique(y[client])) for client in clients])


def test_heterogeneity_grows_from_iid_to_dirichlet_to_label(y):
    found = [
        labels_per_client(clients, y)
        for clients in (
            split_iid(len(y), 10),
            split_dirichlet(y, 10, alpha=0.1),
            split_by_label(y, 10),
        )
    ]
    assert found[0] == 10
    assert 2 < found[1] < 8
    assert found[2] <= 2


def test_dirichlet_of_large_alpha_is_nearly_iid_and_of_small_alpha_is_one_owner(y):
    even = split_dirichlet(y, 10, alpha=1e6)
    assert np.ptp([len(client) for client in even]) <= 12
    single = split_dirichlet(y, 10, alpha=1e-6)
    assert labels_per_client(single, y) <= 2


def test_fifty_clients_at_alpha_one_hundredth(y):
    assert is_partition(split_dirichlet(y, 50, alpha=0.01), len(y), 50)


def test_seeds(y):
    def flat(seed):
        return [client.tolist() for client in split_dirichlet(y, 10, 0.5, seed)]

    assert flat(1) == flat(1)
    assert flat(1) != flat(2)


def test_iid_splits_are_shuffled_by_their_seed():
    first, second = split_iid(1000, 2, seed=1), split_iid(1000, 2, seed=2)
    for client in (*first, *second):
        assert 450 < client.mean() < 550
    assert first[0].tolist() != second[0].tolist()


def test_the_order_of_the_samples_depends_on_the_seed():
    """Even shares, so that the proportions have no part in it."""
    first, second = (split_dirichlet(np.zeros(40), 4, alpha=1e308, seed=seed) for seed in (1, 2))
    assert [len(client) for client in first] == [len(client) for client in second] == [10] * 4
    assert first[0].tolist() != second[0].tolist()


@pytest.mark.parametrize("alpha", [0.3, 2.0])
def test_proportions_have_the_variance_of_the_dirichlet_distribution(alpha):
    K, n = 5, 2000
    splits = [split_dirichlet(np.zeros(n), K, alpha, seed) for seed in range(600)]
    shares = np.array([[len(client) / n for client in clients] for clients in splits])
    expected = (1 / K) * (1 - 1 / K) / (K * alpha + 1)
    assert np.abs(shares.var(axis=0).mean() / expected - 1) < 0.1
