"""python -m bench: measures all rows of bench/rows, or those asked for, and prints one table.

A target that does not hold is said, and is no failure: a number depends on the machine.
"""

import argparse
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

from bench import machine, table

HERE = pathlib.Path(__file__).resolve().parent
ROWS = HERE / "rows"
LOGS = HERE.parent / "build" / "bench"
QUICK_DIVISOR = 4


def main():
    names = sorted(path.stem for path in ROWS.glob("*.py") if path.stem != "__init__")
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds; fails on wide margins")
    parser.add_argument("--only", action="append", choices=names, help="this row; may be repeated")
    parser.add_argument("--json", type=pathlib.Path, help="write every sample to this file")
    options = parser.parse_args()

    before = machine.line()
    print(before, flush=True)
    versions, results, failed = set(), [], []
    for name in options.only or names:
        answer = run(name, QUICK_DIVISOR if options.quick else 1)
        if answer is None:
            failed.append(name)
            continue
        version, of_row = answer
        versions.add(version)
        results += [(name, result) for result in of_row]
    versions = sorted(filter(None, versions))
    print(f"TensorFlow {', '.join(versions)}" if versions else "no TensorFlow was used")
    print()
    print(table.render(results))
    if options.json:
        options.json.write_text(json.dumps(as_json(before, versions, results), indent=1) + "\n")
    return explain(failed, [pair for pair in results if options.quick and pair[1].too_slow])


def run(name, divisor):
    """(TensorFlow's version or None, Results), or None if the row failed."""
    # TensorFlow writes much that is of no use here: it is shown after a failure only.
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{name}.log"
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": "-1"}
    with tempfile.NamedTemporaryFile() as output, log.open("wb") as errors:
        command = [sys.executable, "-m", "bench.run_row", name, output.name, str(divisor)]
        child = subprocess.run(command, env={**quiet, **os.environ}, stderr=errors, check=False)
        if child.returncode == 0:
            return pickle.loads(output.read())
    print(log.read_text(errors="replace"), file=sys.stderr)
    return None


def as_json(machine_line, versions, results):
    return {
        "machine": machine_line,
        "tensorflow": versions,
        "rows": [
            {
                "row": row,
                "name": result.name,
                "unit": result.unit,
                "samples": result.samples,
                "target": None if result.target is None else str(result.target),
                "verdict": result.verdict,
            }
            for row, result in results
        ],
    }


def explain(failed, too_slow):
    for name in failed:
        print(f"bench: row {name} was not measured: see above.", file=sys.stderr)
    for row, result in too_slow:
        print(
            f"bench: {row}: {result.name} takes {result.ratio.median:.2f} times as long as its "
            f"peer, over {result.quick_limit:g}.",
            file=sys.stderr,
        )
    return 1 if failed or too_slow else 0


if __name__ == "__main__":
    sys.exit(main())
