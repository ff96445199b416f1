"""Prints the folder of this Python's TensorFlow, without importing it, for the builds."""

import importlib.util
import pathlib
import sys

spec = importlib.util.find_spec("tensorflow")
if spec is None or spec.origin is None:
    sys.exit(f"{sys.executable} has no TensorFlow: install it there, or let PYTHON name another.")
folder = pathlib.Path(spec.origin).parent
if not (folder / "libtensorflow_cc.so.2").is_file():
    sys.exit(f"{folder} has no libtensorflow_cc.so.2: install TensorFlow 2.15 or newer by pip.")
print(folder)
