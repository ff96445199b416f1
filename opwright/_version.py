"""What is installed: the version of opwright, of TensorFlow, and the bridges between them."""

import os
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
      versions of TensorFlow that op libraries find a bridge for, in this package or in
      OPWRIGHT_BRIDGE_DIR, as in ["2.15", "2.21"].
    """
    from importlib import metadata

    tensorflow = None
    for name in (
        "tensorflow",
        "tensorflow-cpu",
        "tensorflow-cpu-aws",
        "tensorflow-rocm",
        "tf-nightly",
    ):
        try:
            tensorflow = metadata.version(name)
            break
        except metadata.PackageNotFoundError:
            continue
    folders = [_PACKAGE / "lib", *filter(None, [os.environ.get("OPWRIGHT_BRIDGE_DIR")])]
    files = [file for x in folders for file in pathlib.Path(x).glob("libopwright_bridge_tf*.so")]
    bridges = list({re.search(r"_tf([0-9.]+)\.so", file.name).group(1) for file in files})
    bridges.sort(key=lambda version: [int(part) for part in version.split(".")])
    return {"opwright": __version__, "tensorflow": tensorflow, "bridges": bridges}
