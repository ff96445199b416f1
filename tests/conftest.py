"""What the tests of the program `opwright` share."""

import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "opwright" / "bin" / "opwright"


@pytest.fixture(scope="session")
def program_environment():
    """A person's shell: `opwright` and this Python in the PATH; what repeats comes from ccache."""
    if not PROGRAM.is_file():
        pytest.fail(f"{PROGRAM} is missing: build first (cmake --build --preset dev)")
    paths = [str(PROGRAM.parent), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]
    # Under `make test`, make would take those below for parts of itself.
    outside = {
        key: value for key, value in os.environ.items() if key[:4] != "MAKE" and key != "MFLAGS"
    }
    return {
        **outside,
        "PATH": os.pathsep.join(paths),
        "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
        # The same from whatever folder of pytest's.
        "CCACHE_NOHASHDIR": "1",
        "CCACHE_BASEDIR": tempfile.gettempdir(),
        "LC_ALL": "C.UTF-8",
        "PYTHONSAFEPATH": "1",
    }


@pytest.fixture(scope="session")
def opwright(program_environment):
    """opwright(*arguments, code=0, cwd=None, env={}): runs the program and returns what it did.

    Another exit code than `code` fails the test.
    """

    def run(*arguments, code=0, cwd=None, env=None):
        result = subprocess.run(
            [PROGRAM, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=400,
            cwd=cwd,
            env={**program_environment, **(env or {})},
        )
        assert result.returncode == code, result.stdout[-4000:] + result.stderr[-8000:]
        return result

    return run
