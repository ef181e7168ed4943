"""run() and its history."""

from __future__ import annotations

import contextlib
import errno
import os
import pickle
import sys
import traceback
import tracemalloc
from fractions import Fraction
from numbers import Number

import numpy as np
import pytest
from array_api_compat import array_namespace
from numpy.testing import assert_allclose
from tqdm import tqdm

from fl_algos import (
    Diverged,
    FedPD,
    GradientDescent,
    History,
    Interrupted,
    LogisticRegression,
    ProxSkip,
    Quadratic,
    Scaffnew,
    Server,
    random_quadratics,
    run,
)
from fl_algos.history import METRICS, Record
from fl_algos.oracles import GD, SGD, VR


@pytest.fixture
def problem():
    return random_quadratics(K=4, d=3)


def test_metrics_are_those_of_the_servers_model(problem):
    history = run(GradientDescent(gamma=1.0), problem, rounds=7, theta=np.ones(3))
    A, b = problem.A_k.mean(axis=0), problem.b_k.mean(axis=0)
    theta = np.ones(3)
    for t in range(8):
        assert history.rounds[t] == t
        assert_allclose(history.loss[t], theta @ A @ theta / 2 - b @ theta)
        assert_allclose(history.grad_norm2[t], np.sum((A @ theta - b) ** 2))
        assert_allclose(history.distance[t], np.linalg.norm(theta - problem.theta_star))
        reached, theta = theta, theta - (A @ theta - b)
    assert_allclose(history.theta, reached)


@pytest.mark.parametrize(
    "metrics", [(), ("loss",), ["grad_norm2"], ("distance",), ("distance", "loss")]
)
def test_metrics_that_are_not_wanted_are_nan_and_change_nothing_else(problem, metrics):
    algorithm = FedPD(1.0, 0.3, GD(0.5, 2))
    all_of_them, found = (run(algorithm, problem, 20, **o) for o in ({}, {"metrics": metrics}))
    for name in Record._fields:
        expected = getattr(all_of_them, name)
        if name in METRICS and name not in metrics:
            expected = np.full(21, np.nan)
        assert (getattr(found, name) == expected).all() or np.isnan(expected).all()
    assert np.isnan(found.loss).all() == ("loss" not in metrics)
    assert (found.theta == all_of_them.theta).all()


def test_metrics_that_are_not_wanted_cost_nothing(problem, monkeypatch):
    asked, kind = [], type(problem)

    def counted(name, sound):
        def method(self, *arguments, **options):
            asked.append(name)
            return sound(self, *arguments, **options)

        return method

    for name in ("value", "grad", "objective"):
        monkeypatch.setattr(kind, name, counted(name, getattr(kind, name)))
    run(GradientDescent(0.1), problem, 10, metrics=("distance",))
    assert asked == ["grad"] * 10
    asked.clear()
    run(GradientDescent(0.1), problem, 10, stride=5)
    assert sorted(asked) == ["grad"] * 10 + ["objective"] * 3


def test_without_metrics_divergence_is_noticed_by_the_state(problem):
    with pytest.raises(Diverged, match=r"after \d+ rounds theta is not finite"):
        run(GradientDescent(gamma=50.0), problem, rounds=10_000, metrics=())


@pytest.mark.parametrize("metrics", ["loss", ("accuracy",), 3, None])
def test_metrics_that_there_are_not(problem, metrics):
    with pytest.raises(ValueError, match=r"metrics = .*: a tuple with some of loss, grad"):
        run(GradientDescent(0.1), problem, 1, metrics=metrics)


def test_a_tolerance_needs_the_gradient(problem):
    with pytest.raises(ValueError, match="a tolerance needs grad_norm2 among them"):
        run(GradientDescent(0.1), problem, 1, metrics=("loss",), tolerance=1e-3)


def test_a_problem_says_where_to_start(problem):
    problem.theta_0 = np.array([1.0, 2.0, 3.0])
    start = run(GradientDescent(0.1), problem, 0)
    assert start.theta.tolist() == [1, 2, 3]
    assert start.theta is not problem.theta_0
    assert run(GradientDescent(0.1), problem, 0, theta=np.ones(3)).theta.tolist() == [1, 1, 1]


def test_gradient_evaluations_are_counted_by_hand_and_metrics_are_free():
    X = [np.eye(2)[:1], np.vstack([np.eye(2), np.eye(2)])]
    problem = LogisticRegression(X, [[1], [0, 1, 0, 1]], l2=0.1)  # 1 and 4 samples
    assert run(GradientDescent(0.1), problem, rounds=10).gradients[-1] == 10 * 5
    assert run(FedPD(1.0, oracle=GD(0.1, Q=3)), problem, rounds=10).gradients[-1] == 3 * 10 * 5
    history = run(FedPD(1.0), problem, rounds=10)
    assert (history.gradients[-1], history.proxes[-1]) == (0, 10 * 2)


def test_the_same_seed_is_the_same_run_and_another_is_not(problem):
    same = [run(FedPD(1.0, 0.5), problem, 50, seed=3).theta for _ in range(2)]
    other = run(FedPD(1.0, 0.5), problem, 50, seed=4).theta
    assert (same[0] == same[1]).all()
    assert (same[0] != other).any()


def test_it_stops_at_the_tolerance(problem):
    history = run(GradientDescent(1.0), problem, rounds=10_000, tolerance=1e-5)
    assert history.grad_norm2[-1] <= 1e-10 < history.grad_norm2[-2]


def test_stride_keeps_the_first_and_the_last_round(problem):
    history = run(GradientDescent(1.0), problem, rounds=25, stride=10)
    assert history.rounds.tolist() == [0, 10, 20, 25]
    assert len(run(GradientDescent(1.0), problem, rounds=0)) == 1


def test_a_run_can_be_taken_up_again(problem):
    algorithm, server = FedPD(1.0, 0.5), Server(4)
    whole = run(algorithm, problem, rounds=20)
    half = run(algorithm, problem, rounds=10, server=server)
    rest = run(algorithm, problem, rounds=10, state=half.state, start=10, server=server)
    assert_allclose(rest.theta, whole.theta, rtol=1e-14)
    for name in ("rounds", "communications", "bytes_up", "bytes_down", "loss"):
        assert_allclose(getattr(rest, name), getattr(whole, name)[10:], rtol=1e-14)
    assert 0 < rest.communications[0] < rest.communications[-1] < 20


def test_a_run_taken_up_again_goes_on_with_its_batches():
    problem = LogisticRegression([np.eye(3), np.ones((4, 3))], [[0, 1, 0], [0, 1, 1, 0]], l2=0.1)
    algorithm = FedPD(1.0, oracle=VR(0.3, Q=2, I=4))
    whole = run(algorithm, problem, rounds=15, batch_size=2)
    half = run(algorithm, problem, rounds=6, batch_size=2)
    rest = run(algorithm, problem, rounds=9, batch_size=2, state=half.state, start=6, stride=4)
    assert_allclose(rest.theta, whole.theta, rtol=1e-14)
    assert rest.rounds.tolist() == [6, 10, 14, 15]


def test_divergence_names_the_round_and_the_quantity_and_keeps_the_history(problem):
    with pytest.raises(Diverged, match=r"after \d+ rounds loss is not finite") as caught:
        run(GradientDescent(gamma=50.0), problem, rounds=10_000)
    error = caught.value
    assert error.quantity == "loss"
    assert error.history.rounds.tolist() == list(range(error.t))
    assert np.isfinite(error.history.loss).all()


def test_what_is_not_finite_is_noticed_in_the_state_too(problem):
    def faulty(al, theta_k, oracle_k, draw):
        return theta_k + (np.nan if draw.t == 3 else 1.0), oracle_k

    with pytest.raises(Diverged, match="after 4 rounds theta_k is not finite"):
        run(FedPD(1.0, 1 - 1e-9, oracle=faulty), problem, rounds=10)


def test_an_oracle_that_changes_the_shape_is_an_error(problem):
    def one_row(al, theta_k, oracle_k, draw):
        return theta_k[0], oracle_k

    with pytest.raises(ValueError, match=r"theta_k has shape \(3,\): \(4, 3\) is expected"):
        run(FedPD(1.0, oracle=one_row), problem, rounds=10)


@pytest.mark.parametrize("kind", ["numpy", "torch"])
def test_an_oracle_that_changes_the_type_is_an_error(problem, kind):
    if kind == "torch":
        torch = pytest.importorskip("torch", reason="torch is not installed")
        problem, double = problem.to("cpu", "float32"), torch.float64
    else:
        problem, double = problem.to(None, "float32"), np.float64

    def doubled(al, theta_k, oracle_k, draw):
        return array_namespace(theta_k).astype(theta_k, double), oracle_k

    message = "round 1: theta_k has dtype float64: float32 is expected"
    with pytest.raises(ValueError, match=message):
        run(FedPD(1.0, 1 - 1e-9, oracle=doubled), problem, rounds=10)


NUMBERS = [np.float64(0.25), np.float32(0.25), Fraction(1, 4)]


@pytest.mark.parametrize("x", NUMBERS, ids=repr)
def test_any_number_is_a_hyperparameter_and_float32_stays_float32(problem, x):
    problem, two = problem.to(None, "float32"), np.int64(2)
    algorithms = [
        FedPD(x, x),
        FedPD(x, x, GD(x, two)),
        FedPD(x, x, GD(x, two, x)),
        FedPD(x, x, SGD(x, two)),
        FedPD(x, x, VR(x, two, two)),
        GradientDescent(x),
        ProxSkip(x, x, two),
        Scaffnew(x, x),
    ]
    for algorithm in algorithms:
        settings = [algorithm, getattr(algorithm, "oracle", None)]
        values = [value for s in settings for value in getattr(s, "__dict__", {}).values()]
        numbers = [value for value in values if isinstance(value, Number)]
        assert {type(value) for value in numbers} <= {float, int, bool}
        state = run(algorithm, problem, rounds=5).state
        assert {value.dtype for value in state if value is not None} == {np.dtype("float32")}
    assert problem.prox(np.ones((4, 3), np.float32), x).dtype == np.float32


def test_a_theta_star_that_cannot_be_computed_is_unknown():
    class Hard(Quadratic):
        asked = 0

        @property
        def theta_star(self):
            type(self).asked += 1
            raise ArithmeticError("it is nowhere")

    problem = Hard(np.ones((1, 1, 1)), np.ones((1, 1)))
    with pytest.warns(RuntimeWarning, match="distances are not known: it is nowhere"):
        history = run(FedPD(0.5), problem, rounds=5)
    assert np.isnan(history.distance).all()
    assert Hard.asked == 1


def test_the_default_stride_is_a_hundredth_of_the_rounds_of_a_large_problem():
    for d, expected in [(500, 1), (501, 2)]:
        problem = LogisticRegression([np.zeros((2000, d))], [np.arange(2000) % 2])
        assert np.diff(run(GradientDescent(1.0), problem, rounds=200).rounds).max() == expected


def test_without_a_terminal_there_is_no_bar(problem, monkeypatch, capsys):
    monkeypatch.setattr("tqdm.tqdm", lambda **options: tqdm(**{**options, "delay": 0}))
    run(GradientDescent(1.0), problem, rounds=50)
    assert capsys.readouterr().err == ""


def test_divergence_survives_a_pickle(problem):
    with pytest.raises(Diverged) as caught:
        run(GradientDescent(gamma=50.0), problem, rounds=10_000)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert (again.t, again.quantity) == (caught.value.t, caught.value.quantity)
    assert again.history.records == caught.value.history.records


def test_an_interrupted_run_keeps_its_history_and_goes_on(problem):
    def stops(state):
        calls.append(state)
        if len(calls) == 5:
            raise KeyboardInterrupt

    calls = []
    algorithm, whole = FedPD(1.0, 0.5), run(FedPD(1.0, 0.5), problem, rounds=20)
    with pytest.raises(KeyboardInterrupt, match="after 12 rounds") as caught:
        run(algorithm, problem, rounds=20, stride=3, watch=stops)
    stopped = caught.value
    assert isinstance(stopped, Interrupted)
    assert stopped.history.rounds.tolist() == [0, 3, 6, 9]
    assert stopped.history.loss.tolist() == whole.loss[:12:3].tolist()
    assert len(stopped.history.watched) == 4
    assert stopped.__traceback__ is not None
    again = pickle.loads(pickle.dumps(stopped))
    assert (str(again), again.t) == (str(stopped), stopped.t) == ("after 12 rounds", 12)
    assert again.history.records == stopped.history.records
    rest = run(algorithm, problem, 8, state=again.history.state, start=again.t)
    assert (rest.theta == whole.theta).all()


def test_wherever_it_is_interrupted_state_and_rounds_belong_together(problem):
    """Ctrl-C comes between two lines of run, or in what they call: at any of them once."""
    algorithm = GradientDescent(1.0)
    thetas = [run(algorithm, problem, t).theta for t in range(4)]
    rounds_done, lines = set(), 0

    def interrupts(frame, event, argument):
        def on_line(frame, event, argument):
            nonlocal left
            if event == "line":
                left -= 1
                if left == 0:
                    raise KeyboardInterrupt
            return on_line

        is_ours = frame.f_code is run.__code__ or frame.f_code is GradientDescent.round.__code__
        return on_line if is_ours else None

    while True:
        lines += 1
        left, found, tracer = lines, None, sys.gettrace()
        try:
            sys.settrace(interrupts)
            run(algorithm, problem, rounds=3, watch=lambda state: state.theta)
        except Interrupted as interrupted:
            found = interrupted
        except KeyboardInterrupt:
            assert rounds_done == set()  # only before there is anything to keep
            continue
        finally:
            sys.settrace(tracer)
        if found is None:
            break
        rounds_done.add(found.t)
        history = found.history
        assert (history.theta == history.state.theta).all()
        assert (history.theta == thetas[found.t]).all()
        assert found.t - 1 <= len(history) - 1 <= found.t
        assert history.rounds.tolist() == list(range(len(history.watched)))
        assert all((x == thetas[t]).all() for t, x in enumerate(history.watched))
    assert rounds_done == {0, 1, 2, 3}


def test_without_theta_star_the_distance_is_unknown():
    indefinite = Quadratic(np.array([[[-1.0]], [[0.5]]]), np.zeros((2, 1)))
    assert np.isnan(run(FedPD(0.5), indefinite, rounds=2).distance).all()


def test_memory_stays_flat():
    problem = random_quadratics(K=1000, d=3)
    algorithm = FedPD(1.0, 0.3, oracle=GD(0.3, 2))
    run(algorithm, problem, rounds=5)
    peaks = []
    for rounds in (20, 200):
        tracemalloc.start()
        run(algorithm, problem, rounds=rounds)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0] + 200_000  # 180 more records, no more arrays of the clients


class TestHistory:
    @pytest.fixture
    def history(self, problem):
        return run(FedPD(1.0, 0.5), problem, rounds=20)

    def test_to_and_from_a_file_without_pickle(self, history, tmp_path):
        history.save(tmp_path / "run.npz")
        again = History.load(tmp_path / "run.npz")
        assert again.records == history.records
        assert (again.theta == history.theta).all()
        with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
            assert "loss" in file

    @pytest.mark.parametrize(
        ("watch", "is_kept"),
        [
            (lambda state: float(state.theta[0]), True),
            (lambda state: state.theta.copy(), True),
            (lambda state: bool(state.theta[0] > 0), True),
            (lambda state: "words", False),
            (lambda state: {"a": 1}, False),
            (None, False),
        ],
    )
    def test_watched_numbers_go_into_files_and_tables(self, problem, tmp_path, watch, is_kept):
        history = run(GradientDescent(1.0), problem, rounds=6, stride=2, watch=watch)
        history.save(tmp_path / "run.npz")
        again = History.load(tmp_path / "run.npz")
        assert again == history
        assert len(again.watched) == (4 if is_kept else 0)
        if is_kept:
            assert_allclose(again.watched, history.watched, rtol=0)
        pytest.importorskip("pandas", reason="pandas is not installed")
        assert ("watched" in history.to_pandas()) == (is_kept and np.ndim(again.watched) == 1)

    def test_equal_histories(self, problem):
        def made(watch=None, **options):
            return run(FedPD(1.0, 0.5), problem, rounds=5, watch=watch, **options)

        history = made()
        assert history == made()
        assert made(metrics=()) == made(metrics=())  # NaN everywhere
        others = [made(seed=4), made(metrics=()), made(lambda state: 1.0), 3]
        assert all(history != other for other in others)
        assert made(lambda state: 1.0) != made(lambda state: 2.0)
        assert History(history.records, history.theta + 1) != history

    @pytest.mark.parametrize("fails", ["savez_compressed", "fsync"])
    def test_on_a_full_disk_the_older_file_stays(self, history, tmp_path, monkeypatch, fails):
        def full(file, **columns):
            if columns:
                file.write(b"half of it")
            raise OSError(errno.ENOSPC, "No space left on device")

        path = tmp_path / "run.npz"
        history.save(path)
        before = path.read_bytes()
        monkeypatch.setattr(np if fails == "savez_compressed" else os, fails, full)
        for each in (path, tmp_path / "new.npz"):
            with pytest.raises(OSError, match="No space left"):
                History(history.records[:3], history.theta).save(each)
        assert [each.name for each in tmp_path.iterdir()] == ["run.npz"]
        assert path.read_bytes() == before

    def test_a_file_takes_the_place_of_an_older_one_with_its_permissions(self, history, tmp_path):
        path, link, other = (tmp_path / name for name in ("run.npz", "link", "other"))
        path.write_text("older")
        path.chmod(0o640)
        link.symlink_to(path)
        history.save(link)
        other.write_text("")
        history.save(tmp_path / "new")
        assert link.is_symlink()
        assert History.load(path).records == history.records
        assert path.stat().st_mode & 0o777 == 0o640
        assert (tmp_path / "new").stat().st_mode == other.stat().st_mode  # by the umask
        assert len(list(tmp_path.iterdir())) == 4

    def test_what_is_no_regular_file_is_not_replaced(self, history):
        history.save(os.devnull)
        assert not os.path.isfile(os.devnull)

    @pytest.fixture
    def saved(self, history, tmp_path):
        path = tmp_path / "run.npz"
        history.save(path)
        with np.load(path) as file:
            return path, dict(file)

    def refused(self, path, why):
        with pytest.raises(ValueError, match=why) as caught:
            History.load(path)
        shown = "".join(traceback.format_exception(caught.value))
        assert str(path) in str(caught.value)
        assert "allow_pickle" not in shown  # nor anything else of NumPy's
        assert shown.count("Traceback") == 1

    def test_a_damaged_file_is_refused_by_name(self, saved):
        path, _ = saved
        whole = path.read_bytes()
        for length in range(0, len(whole), 97):
            path.write_bytes(whole[:length])
            self.refused(path, "a file that save has written is expected: ")
        for place in range(40, len(whole), 97):
            damaged = bytearray(whole)
            damaged[place] ^= 0xFF
            path.write_bytes(damaged)
            with contextlib.suppress(ValueError):  # a date, say, may be anything
                assert History.load(path).loss.tolist() == saved[1]["loss"].tolist()

    @pytest.mark.parametrize(
        ("changes", "why"),
        [
            ({"loss": None}, "it has no loss"),
            ({"theta": None}, "it has no theta"),
            ({"loss": np.zeros(20)}, "rounds is an array of int64 of shape"),
            ({"loss": np.zeros((21, 1))}, r"loss is an array of float64 of shape \(21, 1\)"),
            ({"rounds": np.zeros(21)}, r"rounds is an array of float64 of shape \(21,\)"),
            ({"loss": np.array(["1"] * 21)}, "loss is an array of <U1"),
            ({"theta": np.zeros(())}, r"theta is an array of float64 of shape \(\)"),
            ({"theta": np.zeros(3, dtype=int)}, "theta is an array of int64"),
            ({"loss": np.array([{}] * 21)}, "loss is no array of numbers"),
            ({"watched": np.zeros(20)}, r"watched is an array of float64 of shape \(20,\)"),
            ({"watched": np.array(["1"] * 21)}, "watched is an array of <U1"),
            ({"watched": np.array([{}] * 21)}, "watched is no array of numbers"),
        ],
    )
    def test_a_file_that_save_has_not_written_is_refused(self, saved, changes, why):
        path, columns = saved
        columns |= changes
        np.savez(path, **{name: x for name, x in columns.items() if x is not None})
        self.refused(path, why)

    def test_other_files_are_refused(self, tmp_path):
        path = tmp_path / "run.npz"
        for content in (b"", b"words", pickle.dumps({"loss": 1})):
            path.write_bytes(content)
            self.refused(path, "File is not a zip file")
        with open(path, "wb") as file:
            np.save(file, np.zeros(3))
        self.refused(path, "File is not a zip file")
        path.unlink()
        with pytest.raises(FileNotFoundError):
            History.load(path)

    def test_to_pandas(self, history):
        pytest.importorskip("pandas", reason="pandas is not installed")
        frame = history.to_pandas()
        assert frame["communications"].tolist() == history.communications.tolist()
        assert len(frame) == 21

    def test_plot(self, history):
        matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
        matplotlib.use("agg")
        (line,) = history.plot(y="distance", x="rounds", label="FedPD").get_lines()
        assert line.get_label() == "FedPD"
        assert_allclose(line.get_xydata(), np.c_[history.rounds, history.distance])
        axes = line.axes
        assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "log")
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("rounds", "distance")

    def test_first(self, history):
        found = history.first(grad_norm2=float(history.grad_norm2[7]))
        assert found == history.records[int(np.argmax(history.grad_norm2 <= history.grad_norm2[7]))]
        assert history.first(loss=-1e9) is None
        assert history.first(loss=1e9, communications=-1) is None
        assert history.first(rounds=1e9, grad_norm2=float(history.grad_norm2[7])) == found
        with pytest.raises(ValueError, match="accuracy: one of rounds, "):
            history.first(accuracy=0.9)

    def test_an_empty_one_can_be_shown(self):
        assert repr(History([], np.zeros(1))) == "<History: 0 records>"

    def test_its_metrics_are_listed(self, history):
        assert {"loss", "proxes", "first", "records"} <= set(dir(history))

    def test_an_unknown_metric_is_an_error_that_lists_the_known(self, history):
        with pytest.raises(AttributeError, match=r"has no 'accuracy'; it has rounds, "):
            _ = history.accuracy
