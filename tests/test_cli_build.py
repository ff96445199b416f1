"""`opwright build`: what it finds and says. test_new_project.py uses what it builds."""

import shutil
import stat
import subprocess

import pytest

OP = """
#include "opwright/op.h"
#include "factor.h"

struct Scaled {
  static constexpr auto Declare() {
    return opwright::Declare().Input("x: double").Output("y: double");
  }
  static constexpr auto kNoGradient = "it is a test";
  explicit Scaled(const opwright::Attributes&) {}
  void Shape(opwright::ShapeContext& c) const { c.SetOutput(0, c.input(0)); }
  void Compute(opwright::CpuCall& call) const {
    for (int64_t i = 0; i < call.output<double>(0).size(); ++i) {
      call.output<double>(0)[i] = Factor() * call.input<double>(0)[i];
    }
  }
};
OPWRIGHT_OP(Scaled);
"""


@pytest.fixture
def sources(tmp_path):
    """Sources of one library, and no build file."""
    folder = tmp_path / "my op"
    folder.mkdir()
    (folder / "op.cc").write_text(OP)
    (folder / "factor.h").write_text("double Factor();\n")
    (folder / "factor.cc").write_text('#include "factor.h"\ndouble Factor() { return 2; }\n')
    (folder / "bench.cc").write_text("#error it is no part of the library\n")
    (folder / "op_test.cc").write_text("#error it is no part of the library\n")
    return folder


def program(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/bash\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_folder_of_sources(opwright, sources):
    said = opwright("build", sources).stdout
    library = sources / "build" / "libmy_op.so"
    assert library.is_file()
    assert "found    2 source files, and no build file" in said
    assert f"{library}\n  has the op Scaled\n" in said
    assert f'  scaled = tf.load_op_library("{library}").scaled\n' in said
    assert "op Scaled" in opwright("info", library).stdout


def test_what_is_not_there(opwright, sources, tmp_path):
    (sources / "factor.cc").unlink()
    said = opwright("build", sources, code=1).stderr
    assert "undefined reference to `Factor()'" in said
    assert "opwright: the compiler failed; mend what is shown above" in said

    (sources / "op.cc").unlink()
    said = opwright("build", sources, code=1).stderr
    assert "has no CMakeLists.txt, no Makefile, and no .cc file with OPWRIGHT_OP(MyOp)" in said
    assert "`opwright new NAME` makes a project" in said


def test_the_failing_line_is_shown_whole(opwright, tmp_path):
    opwright("new", "wave_gate", cwd=tmp_path)
    folder = tmp_path / "wave_gate"
    text = (folder / "op.cc").read_text()
    (folder / "op.cc").write_text(text + 'static_assert(false, "planted");\n')
    said = opwright("build", folder, code=1).stderr
    line = next(line for line in said.splitlines() if " -c " in line)
    assert line.endswith(f"-c {folder / 'op.cc'}")
    assert "-fvisibility=hidden" in line
    assert "static assertion failed: planted" in said

    (folder / "CMakeLists.txt").unlink()  # then the Makefile counts
    said = opwright("build", folder, code=1).stderr
    assert any(line.startswith("g++ ") and " op.cc -o " in line for line in said.splitlines())
    assert "static assertion failed: planted" in said


def test_tests_need_a_project(opwright, sources):
    said = opwright("build", sources, "--test", code=1).stderr
    assert "has no CMakeLists.txt and no Makefile, so its tests are not known" in said


def path_with(folder, *names):
    """A PATH with these programs alone."""
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(shutil.which(name))
    return {"PATH": str(folder), "VIRTUAL_ENV": ""}


def test_missing_programs(opwright, sources, tmp_path):
    nothing = path_with(tmp_path / "nothing")
    said = opwright("build", sources, code=1, env=nothing).stderr
    assert "no C++ compiler is in the PATH: install g++ (Debian: apt-get install g++)" in said
    said = opwright("build", sources, code=1, env={"CXX": "no-such-g++"}).stderr
    assert "CXX is 'no-such-g++', and there is no such program" in said

    (sources / "CMakeLists.txt").write_text("project(x)\n")
    assert "cmake is not in the PATH" in opwright("build", sources, code=1, env=nothing).stderr
    cmake = path_with(tmp_path / "cmake", "cmake")
    said = opwright("build", sources, code=1, env=cmake).stderr
    assert "CMake needs Ninja or make, and neither is in the PATH" in said
    (sources / "CMakeLists.txt").rename(sources / "Makefile")
    assert "make is not in the PATH" in opwright("build", sources, code=1, env=nothing).stderr


def test_no_tensorflow(opwright, sources, tmp_path):
    compiler = path_with(tmp_path / "bin", "g++", "as", "ld")
    said = opwright("build", sources, env=compiler).stdout
    assert "missing  TensorFlow, which the build does not need" in said
    assert (sources / "build" / "libmy_op.so").is_file()


def test_make_without_ninja(opwright, tmp_path):
    opwright("new", "wave_gate", cwd=tmp_path)
    programs = ["cmake", "make", "c++", "as", "ld", "ar", "ranlib", "uname", "ccache", "sh"]
    said = opwright("build", cwd=tmp_path / "wave_gate", env=path_with(tmp_path / "bin", *programs))
    assert "CMake, and make (Ninja is not here)" in said.stdout
    assert (tmp_path / "wave_gate" / "build" / "libwave_gate.so").is_file()


@pytest.fixture
def slow(tmp_path):
    """A compiler that takes three seconds."""
    path = program(
        tmp_path / "bin" / "slow",
        '[ "$1" = --version ] || { echo still at it; sleep 3; }; exec /usr/bin/env g++ "$@"\n',
    )
    return {"CXX": str(path)}


def test_progress_after_two_seconds(opwright, sources, slow):
    said = opwright("build", sources, env=slow)
    assert "… building, 2 s: still at it\n" in said.stderr
    assert "\033" not in said.stderr + said.stdout
    assert "\r" not in said.stderr + said.stdout


def test_quiet(opwright, sources, slow):
    said = opwright("build", sources, "--quiet", env=slow)
    assert (said.stdout, said.stderr) == ("", "")
    (sources / "op.cc").write_text(OP + "nonsense")
    said = opwright("--quiet", "build", sources, code=1)
    assert said.stdout == ""
    assert "nonsense" in said.stderr


def test_a_sanitizer_without_tests(opwright, sources):
    said = opwright("build", sources, "--sanitize", "address").stdout
    library = sources / "build-address" / "libmy_op.so"
    assert f"Built {library}\nPython loads it when started as\n" in said
    assert "-print-file-name=libasan.so)" in said
    assert b"__asan_init" in library.read_bytes()
    assert not (sources / "build").exists()


def sections(folder):
    command = ["readelf", "-SW", folder / "build" / "libmy_op.so"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_debug_has_lines(opwright, sources):
    opwright("build", sources)
    assert ".debug_info" not in sections(sources)
    opwright("build", sources, "--debug")
    assert ".debug_info" in sections(sources)


def test_a_project_that_was_moved(opwright, tmp_path):
    opwright("new", "wave_gate", cwd=tmp_path)
    opwright("build", "wave_gate", cwd=tmp_path)
    (tmp_path / "wave_gate").rename(tmp_path / "moved")
    source = tmp_path / "moved" / "op.h"
    source.write_text(source.read_text().replace('Output("product: T")', 'Output("y: T")'))
    opwright("build", "moved", cwd=tmp_path)
    told = opwright("info", tmp_path / "moved" / "build" / "libwave_gate.so").stdout
    assert "product" not in told
