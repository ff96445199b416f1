#!/usr/bin/env bash
# Installs what is missing, builds the op pack and the bridge, and shows them.
source "$(dirname "$0")/common.sh"
scripts/setup.sh demo

heading "build: the op pack and the bridge"
cmake --preset dev -U OPWRIGHT_TENSORFLOW_PYTHONS
cmake --build --preset dev --target stage

heading "demo"
.venv/bin/python examples/demo.py "$@"
