"""Prints "FOLDER;VERSION" of this Python's TensorFlow, without importing it."""

import importlib.metadata
import importlib.util
import os
import sys

DISTRIBUTIONS = ("tensorflow", "tensorflow-cpu", "tensorflow-cpu-aws", "tensorflow-rocm")


def version():
    for name in DISTRIBUTIONS:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


spec = importlib.util.find_spec("tensorflow")
found = version()
if spec is None or spec.origin is None or found is None:
    sys.exit(1)
print(os.path.dirname(spec.origin), found, sep=";")
