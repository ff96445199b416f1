"""Runs one row; `python -m bench` starts this in a process for each, because pinning, the number of
TensorFlow's threads and its caches are a process's own.

    python -m bench.run_row NAME OUTPUT [ROUNDS_DIVISOR]
"""

import importlib
import pickle
import sys

from bench import harness, machine


def main(name, output, divisor="1"):
    row = importlib.import_module(f"bench.rows.{name}")
    machine.pin(row.CORES)
    results = []
    for comparison in row.comparisons():
        print(f"  {name}: {comparison.name} …", flush=True)
        rounds = max(1, comparison.rounds // int(divisor))
        results += harness.compare(comparison, rounds)
    tensorflow = sys.modules.get("tensorflow")
    with open(output, "wb") as file:
        pickle.dump((getattr(tensorflow, "__version__", None), results), file)


if __name__ == "__main__":
    main(*sys.argv[1:])
