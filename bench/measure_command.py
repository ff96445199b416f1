"""Runs a command and prints its wall time and the memory of its largest process, as JSON.

A process of its own, and a small one: a child counts what its parent had in memory when it started.
"""

import json
import resource
import subprocess
import sys
import time

if __name__ == "__main__":
    start = time.perf_counter()
    subprocess.run(sys.argv[1:], check=True)
    wall = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    json.dump({"wall": wall, "peak memory": peak}, sys.stdout)
