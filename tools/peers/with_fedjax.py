"""The task with fedjax: `for_each_client`, its loop for algorithms of one's own, compiled."""

from __future__ import annotations

import fedjax
import jax
import jax.numpy as jnp

from task import GAMMA, L2, Stopwatch, asked, report, samples


def loss(theta: jax.Array, batch: dict[str, jax.Array]) -> jax.Array:
    """The mean loss of a batch, and the penalty."""
    margins = batch["y"] * (batch["x"] @ theta)
    return jnp.mean(jax.nn.softplus(-margins)) + L2 / 2 * theta @ theta


def client_init(theta: jax.Array, _: tuple) -> jax.Array:
    """A client starts from the server's model."""
    return theta


def client_step(theta: jax.Array, batch: dict[str, jax.Array]) -> jax.Array:
    """One step."""
    return theta - GAMMA * jax.grad(loss)(theta, batch)


def main() -> None:
    """Run all rounds, each client's one batch being all of its samples, on the device already."""
    task = asked()
    samples_k = zip(*samples(task.K, task.n, task.d), strict=True)
    batches_k = [[{"x": jnp.asarray(X), "y": jnp.asarray(y)}] for X, y in samples_k]
    clients = [(k, batches, ()) for k, batches in enumerate(batches_k)]
    train = fedjax.for_each_client(client_init, client_step)
    mean = jax.jit(lambda total: total / task.K)
    theta = jnp.zeros(task.d)
    stopwatch = Stopwatch.of(task)
    for _ in range(task.all_rounds):
        models = (theta_k for _, theta_k in train(theta, clients))
        theta = mean(fedjax.tree_util.tree_sum(models))
        stopwatch(theta)
    report(task, stopwatch, "fedjax", "jax")


if __name__ == "__main__":
    main()
