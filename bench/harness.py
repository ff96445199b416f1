"""Compares callables in one process, so that what disturbs one disturbs the others.

A row is a file bench/rows/NAME.py with

    CORES = 1                                  # the process is pinned to as many

    def comparisons():                         # called in a process of its own, after the pinning
        return [Comparison("eager", {"opwright": ours, "classical": peer}, target=Ratio(1.10))]

and nothing else is to be done: `python -m bench` finds it. The first contender is ours, the second
the peer that it is compared with, any more are for information.

How it is measured: in each round every contender runs once, for the same number of calls, in an
order that changes from round to round. A value is the median of the rounds; a ratio is taken within
each round, where both saw the same machine, and then its median. The spread is from the lower to
the upper quartile. Python's garbage collector runs between rounds only, and a sample begins with
calls that are not counted: after the collector, or after another contender, the first are slower.
"""

import gc
import itertools
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Optional

ROUNDS = 20
SAMPLE_SECONDS = 0.02
SETTLE = 4  # before a sample, one in so many of its calls is made without being counted

# A row on one core is measured in the time that the process computed: on an idle machine that is
# the time that passed, and on a busy one it leaves out what other processes took. Where threads run
# side by side, or where waiting is part of the matter, only the time that passed will do.
CLOCKS = {"cpu": time.process_time_ns, "wall": time.perf_counter_ns}


@dataclass(frozen=True)
class Ratio:
    """A target: ours is at most so many times the peer."""

    limit: float

    def __str__(self):
        return f"at most {self.limit:.2f}x"

    def holds(self, result):
        return result.ratio.median <= self.limit


@dataclass(frozen=True)
class Below:
    """A target: ours is under so many of its unit."""

    limit: float

    def __str__(self):
        return f"under {self.limit:g}"

    def holds(self, result):
        return result.ours.median < self.limit


@dataclass(frozen=True)
class Comparison:
    name: str
    # By name: each does the work once when it is called.
    contenders: Mapping[str, Callable[[], object]]
    # One call does this many of what is reported in ns, such as the ops of a chain.
    per_call: int = 1
    clock: str = "cpu"
    # A contender whose value is taken off the others' in each round, and which is not reported.
    baseline: Optional[str] = None
    # For contenders that measure themselves: each call returns {name: value}, here are the units.
    measures: Optional[Mapping[str, str]] = None
    target: object = None
    targets: Mapping[str, object] = field(default_factory=dict)  # for measures, by their names
    # `--quick` fails when the ratio is over this one. Wide: a busy machine must pass.
    quick_limit: Optional[float] = None
    rounds: int = ROUNDS


@dataclass(frozen=True)
class Spread:
    lower: float
    median: float
    upper: float

    @staticmethod
    def of(values):
        if len(values) == 1:
            return Spread(values[0], values[0], values[0])
        return Spread(*statistics.quantiles(values, n=4, method="inclusive"))


@dataclass(frozen=True)
class Result:
    """One line of the table. samples: by contender, one value a round."""

    name: str
    unit: str
    samples: Mapping[str, list]
    target: object = None
    quick_limit: Optional[float] = None

    @property
    def contenders(self):
        return list(self.samples)

    def spread(self, contender):
        return Spread.of(self.samples[contender])

    @property
    def ours(self):
        return self.spread(self.contenders[0])

    @property
    def ratio(self):
        if len(self.contenders) < 2:
            return None
        ours, peer = (self.samples[name] for name in self.contenders[:2])
        return Spread.of([a / b for a, b in zip(ours, peer)])

    @property
    def verdict(self):
        if self.target is None:
            return ""
        return "holds" if self.target.holds(self) else "does not hold"

    @property
    def too_slow(self):
        return self.quick_limit is not None and self.ratio.median > self.quick_limit


def order(names, round_number):
    """Rotated in each round, and reversed after each turn, so that nobody has a fixed neighbour."""
    names = list(names)
    turn, start = divmod(round_number, len(names))
    rotated = names[start:] + names[:start]
    return rotated[::-1] if turn % 2 else rotated


def compare(comparison, rounds=None, sample_seconds=SAMPLE_SECONDS, clock=None):
    """Runs a comparison; returns its Results, one for each measure. clock: for tests."""
    rounds = rounds or comparison.rounds
    clock = clock or CLOCKS[comparison.clock]
    contenders = comparison.contenders
    measures = comparison.measures or {"": "ns"}
    if comparison.measures:
        sample = _measured
    else:
        calls = _calls_for(next(iter(contenders.values())), sample_seconds, clock)

        def sample(call):
            return {"": _time(call, calls, clock) / calls / comparison.per_call}

    for call in contenders.values():  # what happens once only: compilation, caches, first pages
        sample(call)
    samples = {measure: {name: [] for name in contenders} for measure in measures}
    gc.collect()
    gc.freeze()  # TensorFlow's modules alone would make each collection long
    for round_number in range(rounds):
        for name in order(contenders, round_number):
            for measure, value in sample(contenders[name]).items():
                samples[measure][name].append(value)
        gc.collect()
    gc.unfreeze()
    return [
        Result(
            name=" ".join(filter(None, [comparison.name, measure])),
            unit=unit,
            samples=_without_baseline(samples[measure], comparison.baseline),
            target=comparison.targets.get(measure, comparison.target),
            quick_limit=comparison.quick_limit,
        )
        for measure, unit in measures.items()
    ]


def _measured(call):
    return call()


def _time(call, calls, clock):
    """Nanoseconds for so many calls, without the collector."""
    repeat = itertools.repeat(None, calls)
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(1 + calls // SETTLE):
            call()
        start = clock()
        for _ in repeat:
            call()
        return clock() - start
    finally:
        if collecting:
            gc.enable()


def _calls_for(call, seconds, clock):
    """How many calls take about so long. The first is left out: it may compile something."""
    call()
    calls = 1
    while True:
        spent = _time(call, calls, clock)
        if spent >= seconds * 1e9 / 4:
            return max(1, round(calls * seconds * 1e9 / spent))
        calls *= 2


def _without_baseline(samples, baseline):
    if baseline is None:
        return samples
    base = samples[baseline]
    return {
        name: [value - taken_off for value, taken_off in zip(values, base)]
        for name, values in samples.items()
        if name != baseline
    }
