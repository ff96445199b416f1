"""What it takes to compile and link the same small op, by the command that an author would use."""

import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from bench import build_peers, measure_command
from bench.harness import Below, Comparison, Ratio

CORES = 1
ROOT = pathlib.Path(__file__).resolve().parents[2]
OURS = ROOT / "opwright" / "ops" / "element_mul" / "op.cc"


def comparisons():
    peer = build_peers.source_of(build_peers.CLASSICAL)
    # The result is of no use, and a fresh file each time is what an author's build writes.
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "op.so")
        commands = {
            "opwright": [*build_peers.COMPILER, f"-I{ROOT}", str(OURS), "-o", output],
            "classical": build_peers.compile_command(peer, output),
        }
        yield Comparison(
            "one op",
            {name: functools.partial(measure, command) for name, command in commands.items()},
            measures={"wall": "s", "peak memory": "MiB"},
            targets={"wall": Ratio(1 / 6), "peak memory": Below(150)},
            rounds=3,
        )


def measure(command):
    answer = subprocess.run(
        [sys.executable, "-S", measure_command.__file__, *command],
        env={**os.environ, "CCACHE_DISABLE": "1"},
        check=True,
        stdout=subprocess.PIPE,
    )
    return json.loads(answer.stdout)
