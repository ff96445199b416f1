#!/usr/bin/env bash
# Measures, with the release build; arguments go to the benchmarks:  scripts/bench.sh --help
source "$(dirname "$0")/common.sh"
scripts/setup.sh test

heading "build: release"
cmake --preset release
cmake --build --preset release

heading "bench"
.venv/bin/python -m bench "$@"
