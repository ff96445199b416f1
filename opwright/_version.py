"""What is installed: the version of opwright, of TensorFlow, and the bridges between them."""

import pathlib
import re

_PACKAGE = pathlib.Path(__file__).resolve().parent

__version__ = re.search(
    r'OPWRIGHT_VERSION "(.*)"', (_PACKAGE / "op" / "version.h").read_text()
).group(1)


def include_dir():
    """The directory to give to the compiler, so that `#include "opwright/op.h"` is found."""
    return str(_PACKAGE.parent)


def versions():
    """The versions that matter in a report.

    Returns:
      A dict: "opwright" and "tensorflow" (None if it is not installed), and "bridges", the minor
      versions of TensorFlow that op libraries work with here, as in ["2.15", "2.21"].
    """
    from importlib import metadata

    tensorflow = None
    for name in ("tensorflow", "tensorflow-cpu", "tensorflow-cpu-aws", "tensorflow-rocm"):
        try:
            tensorflow = metadata.version(name)
            break
        except metadata.PackageNotFoundError:
            continue
    files = (_PACKAGE / "lib").glob("libopwright_bridge_tf*.so")
    bridges = [re.search(r"_tf([0-9.]+)\.so", file.name).group(1) for file in files]
    bridges.sort(key=lambda version: [int(part) for part in version.split(".")])
    return {"opwright": __version__, "tensorflow": tensorflow, "bridges": bridges}
