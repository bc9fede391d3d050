"""Pieces of programs as written by users of strict checkers: classes, dataclasses, dicts, training."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

import lazyarr as la
from lazyarr import nn
from support.typed_arrays import F32, F64, assert_type

Parameters: TypeAlias = dict[str, F32]


@dataclass
class State:
    position: F64
    velocity: F64
    time: float = 0.0


class Bodies:
    softening = 0.01

    def __init__(self, count: int) -> None:
        self.mass: F64 = la.full(count, 1.0 / count)
        self.state = State(la.random.default_rng(0).normal(size=(count, 3)), la.zeros((count, 3)))

    def accelerations(self, x: F64) -> F64:
        between = x[None, :, :] - x[:, None, :]
        square = (between**2).sum(axis=-1) + self.softening**2
        return (between * self.mass[None, :, None] / (square * la.sqrt(square))[..., None]).sum(axis=1)

    @property
    def energy(self) -> float:
        return float(0.5 * (self.mass[:, np.newaxis] * self.state.velocity**2).sum())

    def run(self, steps: int, dt: float = 1e-3) -> Iterator[tuple[int, float]]:
        for number in range(steps):
            s = self.state
            v = s.velocity + dt * self.accelerations(s.position)
            self.state = replace(s, position=s.position + dt * v, velocity=v, time=s.time + dt)
            la.evaluate(self.state.position, v)
            yield number, self.energy


def test_simulation() -> None:
    bodies = Bodies(3)
    assert_type(list(bodies.run(2))[-1][1], float)
    assert_type(la.linalg.norm(bodies.state.velocity, axis=1).max() > 0, la.LazyArray[np.bool])


class Moments(NamedTuple):
    mean: Parameters
    steps: int


def mapped(f: Callable[[F32, F32], F32], one: Mapping[str, F32], other: Mapping[str, F32]) -> Parameters:
    return {name: f(one[name], other[name]) for name in one}


def predict(parameters: Parameters, x: F32) -> F32:
    return la.tanh(x @ parameters["w"] + parameters["b"])


def loss(parameters: Parameters, x: F32, y: F32, penalty: float = 0.0) -> F32:
    weights = sum(((p * p).sum() for p in parameters.values()), start=la.zeros((), np.float32))
    return ((predict(parameters, x) - y) ** 2).mean() + penalty * weights


def descend(parameters: Parameters, x: F32, y: F32) -> tuple[F32, Parameters]:
    return la.value_and_grad(loss)(parameters, x, y, penalty=1e-4)


def one(parameters: Parameters, x: F32) -> F32:
    return predict(parameters, x[None])[0]


def test_optimiser() -> None:
    x, y = la.ones((4, 3), np.float32), la.zeros(4, np.float32)
    parameters: Parameters = {"w": la.ones(3, np.float32), "b": la.zeros((), np.float32)}
    moments = Moments({name: la.zeros_like(p) for name, p in parameters.items()}, 0)
    value, gradients = la.jit(descend)(parameters, x, y)
    assert_type(value, F32)
    assert_type(gradients, Parameters)
    mean = mapped(lambda m, g: 0.9 * m + 0.1 * g, moments.mean, gradients)
    assert_type(mapped(lambda p, m: p - 0.1 * m, parameters, mean), Parameters)
    assert_type(la.jit(la.grad(loss))(parameters, x, y), Parameters)
    assert_type(la.vmap(one, in_axes=(None, 0))(parameters, x), F32)
    assert_type(la.vmap(la.grad(one, argnums=1), in_axes=(None, 0))(parameters, x), F32)
    assert_type(la.grad(loss, argnums=(0, 1))(parameters, x, y), tuple[Parameters, F32])
    assert_type(la.value_and_grad(loss, argnums=1)(parameters, x, y), tuple[F32, F32])
    z = la.ones(2, np.float32)
    assert_type((z * z).sum().grad(z), F32)


class Block(nn.Layer):
    def __init__(self, size: int, rng: np.random.Generator) -> None:
        self.inner = nn.Sequential(nn.LayerNorm(size), nn.Linear(size, size, rng=rng), nn.gelu)
        self.scale = la.ones(size, np.float32)

    def __call__(self, x: la.LazyArray) -> la.LazyArray:
        return x + self.inner(x) * self.scale


def cross_entropy(outputs: la.LazyArray, targets: la.LazyArray) -> la.LazyArray:
    return nn.cross_entropy(outputs, targets)


def test_training() -> None:
    rng = np.random.default_rng(0)
    x = la.random.default_rng(0).normal(size=(8, 4)).astype(np.float32)
    y = (x.sum(axis=1) > 0).astype(np.int64)
    model = Block(4, rng).train()
    assert_type(model, Block)
    optimiser = nn.AdamW(nn.schedules.warm_up(nn.schedules.cosine(1e-3, 100), 10), weight_decay=0.01)
    run = nn.training_step(model, cross_entropy, optimiser, metrics=[nn.accuracy],
                           clip=lambda gradients: nn.clip_by_global_norm(gradients, 1.0))
    loader = nn.Loader((x, y), batch_size=4, seed=1)
    for inputs, targets in loader:
        assert_type(run(inputs, targets), dict[str, Any])
    history = nn.fit(model, cross_entropy, optimiser, loader, 1, validation=[(x, y)], progress=False,
                     early_stopping=nn.EarlyStopping(3))
    assert_type(history, dict[str, list[float]])
    assert_type(nn.validate(model, cross_entropy, loader, {"accuracy": nn.accuracy}), dict[str, float])

    def total() -> la.LazyArray:
        return cross_entropy(model(x), y)

    value, gradients = nn.value_and_grad(model, total)()
    assert_type(value, la.LazyArray)
    optimiser.update(model, gradients)
    assert_type(model.eval()(x).argmax(axis=-1), la.LazyArray[np.intp])
    assert_type(model.parameter_count, int)
    assert_type(nn.Linear(2, 3).weight, la.LazyArray)
