"""The harness on a clock of its own: what it says of contenders whose cost is known."""

import gc
import time

import pytest

from bench import harness, table
from bench.harness import Below, Comparison, Ratio, Result, Spread, compare, order


class Machine:
    """Contenders advance its clock by what they cost, and are noted."""

    def __init__(self):
        self.now = 0
        self.calls = []

    def clock(self):
        return self.now

    def contender(self, name, cost):
        def call():
            self.now += cost(self.now) if callable(cost) else cost
            self.calls.append(name)

        return call

    def compare(self, costs, **options):
        contenders = {name: self.contender(name, cost) for name, cost in costs.items()}
        comparison = Comparison("fake", contenders, **options)
        return compare(comparison, sample_seconds=1e-6, clock=self.clock)


def test_same_contender_has_ratio_one():
    (result,) = Machine().compare({"a": 50, "b": 50})
    assert result.ratio == Spread(1, 1, 1)
    assert result.ours.median == 50


def test_ratio_is_of_ours_to_the_peer():
    (result,) = Machine().compare({"ours": 120, "peer": 100, "other": 1000}, target=Ratio(1.1))
    assert result.ratio.median == pytest.approx(1.2)
    assert result.verdict == "does not hold"


def test_a_machine_that_slows_down_does_not_change_the_ratio():
    def slower(cost):
        return lambda now: cost * (1 + now / 1e5)

    (result,) = Machine().compare({"a": slower(200), "b": slower(100)})
    assert result.spread("a").upper > 1.05 * result.spread("a").lower
    assert result.ratio.median == pytest.approx(2, rel=0.02)


def test_order_changes_from_round_to_round():
    assert [order("AB", r) for r in range(4)] == [list(o) for o in ("AB", "BA", "BA", "AB")]
    firsts = {order("ABC", r)[0] for r in range(3)}
    assert firsts == set("ABC")
    assert order("ABC", 3) == list("CBA")


def test_each_contender_runs_once_a_round_with_the_same_number_of_calls():
    machine = Machine()
    (result,) = machine.compare({"a": 10, "b": 30}, rounds=6)
    assert [len(values) for values in result.samples.values()] == [6, 6]
    in_rounds = machine.calls[machine.calls.index("b") :]  # from b's warm-up on
    one_sample = 100 + 1 + 100 // harness.SETTLE  # a fills a microsecond, and settles before
    assert in_rounds.count("b") == 7 * one_sample
    assert in_rounds.count("a") == 6 * one_sample


def test_per_call_divides():
    (result,) = Machine().compare({"chain": 5000}, per_call=1000)
    assert result.ours.median == 5 and result.ratio is None


def test_baseline_is_taken_off_and_not_reported():
    (result,) = Machine().compare({"a": 130, "b": 110, "nothing": 100}, baseline="nothing")
    assert result.contenders == ["a", "b"]
    assert result.ratio.median == pytest.approx(3)


def test_contenders_that_measure_themselves():
    contenders = {
        "a": lambda: {"wall": 2.0, "peak": 60.0},
        "b": lambda: {"wall": 8.0, "peak": 600.0},
    }
    wall, peak = compare(Comparison("compile", contenders, measures={"wall": "s", "peak": "MiB"}))
    assert (wall.name, wall.unit, wall.ratio.median) == ("compile wall", "s", 0.25)
    assert (peak.name, peak.unit, peak.ratio.median) == ("compile peak", "MiB", 0.1)


def test_no_collection_inside_a_sample():
    assert gc.isenabled()
    seen = set()
    compare(Comparison("gc", {"a": lambda: seen.add(gc.isenabled())}, rounds=2), clock=ticks())
    assert seen - {True} == {False} and gc.isenabled()


def test_calls_after_a_change_of_contender_do_not_count():
    last = []

    class Cold(Machine):
        def contender(self, name, cost):
            def call():
                self.now += cost if last[-1:] == [name] else 100 * cost
                last.append(name)

            return call

    (result,) = Cold().compare({"a": 10, "b": 10})
    assert result.ratio == Spread(1, 1, 1) and result.ours.upper == 10


def test_collector_is_back_after_a_failure():
    def fail():
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        harness._time(fail, 1, time.perf_counter_ns)
    assert gc.isenabled()


def test_targets():
    assert Result("r", "ns", {"a": [109.0], "b": [100.0]}, Ratio(1.1)).verdict == "holds"
    assert Result("r", "ns", {"a": [199.0]}, Below(200)).verdict == "holds"
    assert Result("r", "ns", {"a": [200.0]}, Below(200)).verdict == "does not hold"
    assert Result("r", "ns", {"a": [1.0]}).verdict == ""


def test_quick_fails_beyond_its_own_limit_only():
    slow = Result("r", "ns", {"a": [190.0], "b": [100.0]}, Ratio(1.1), quick_limit=2)
    assert slow.verdict == "does not hold" and not slow.too_slow
    assert Result("r", "ns", {"a": [210.0], "b": [100.0]}, quick_limit=2).too_slow
    assert not Result("r", "ns", {"a": [210.0], "b": [100.0]}).too_slow


def test_table_says_all_of_it():
    samples = {"opwright": [108.0, 110.0, 112.0], "classical": [100.0] * 3, "other": [5.5] * 3}
    text = table.render([("calls", Result("eager", "ns", samples, Ratio(1.1)))])
    for part in ("calls: eager", "110 ns", "100 ns classical", "1.10x", "1.09 to 1.11"):
        assert part in text
    assert "at most 1.10x" in text and "holds" in text and "5.5 ns other" in text


def ticks():
    times = iter(range(0, 10**15, 10**8))
    return lambda: next(times)
