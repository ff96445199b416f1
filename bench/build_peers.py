"""Builds peers, op libraries in TensorFlow's own API, for this Python's TensorFlow.

python -m bench.build_peers [NAME...]

classical_element_mul is op.cc of what `opwright new --api tensorflow` writes; others are
bench/peers/NAME.cc.
"""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PEERS = HERE / "peers"
BUILD = HERE.parent / "build" / "bench"
PROGRAM = HERE.parent / "opwright" / "bin" / "opwright"
CLASSICAL = "classical_element_mul"
# Deprecation: the same source serves all versions, and what one deprecates another may need.
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations"]
COMPILER = ["g++", "-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-shared", *WARNINGS]


def compile_command(source, output):
    """The command that an author would use, and what the compile row measures."""
    import tensorflow as tf

    # TensorFlow's headers as system headers: their warnings are not ours to mend.
    flags = [f.replace("-I", "-isystem", 1) for f in tf.sysconfig.get_compile_flags()]
    return [*COMPILER, *flags, str(source), "-o", str(output), *tf.sysconfig.get_link_flags()]


def source_of(name):
    """The path of a peer's source, which for the classical op is written anew."""
    if name != CLASSICAL:
        return PEERS / f"{name}.cc"
    if not PROGRAM.exists():
        raise SystemExit(f"{PROGRAM} is missing: build the preset release first.")
    folder = BUILD / "peers"
    shutil.rmtree(folder / name, ignore_errors=True)
    command = [PROGRAM, "--quiet", "new", name, "--api", "tensorflow", "--dir", folder]
    subprocess.run(command, check=True)
    return folder / name / "op.cc"


def library(name):
    """The path of a peer's library, which is built when it is not there yet."""
    import tensorflow as tf

    source = source_of(name)
    # Of the whole command too: other flags are another library.
    key = [tf.__version__, *compile_command(source, "")]
    digest = hashlib.sha256("\0".join(key).encode() + source.read_bytes()).hexdigest()[:12]
    output = BUILD / f"{name}-tf{tf.__version__}-{digest}.so"
    if output.exists():
        return output
    print(f"building {output.name} …", end=" ", flush=True)
    start = time.monotonic()
    output.parent.mkdir(parents=True, exist_ok=True)
    # Renamed when whole, so that an interrupted build leaves no half library behind.
    unfinished = output.with_suffix(f".{os.getpid()}.tmp")
    subprocess.run(compile_command(source, unfinished), check=True)
    unfinished.rename(output)
    print(f"{time.monotonic() - start:.0f} s", flush=True)
    return output


if __name__ == "__main__":
    for name in sys.argv[1:] or [CLASSICAL, *sorted(path.stem for path in PEERS.glob("*.cc"))]:
        print(library(name))
