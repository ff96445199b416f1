"""docs/author-guide.md is true: its blocks are run, in order, in one folder.

sh       run; must succeed unless a text block follows
python   run; with a first line `# FILE` written to that file instead
cpp      written to the file that its first line names, `// FILE`
diff     a change to the file `# FILE`: what its lines ' ' and '-' say stands there once, and
         becomes what its lines ' ' and '+' say
text     lines that the output of the block before has, whatever the blanks
"""

import pathlib
import re
import shutil
import subprocess

import pytest

GUIDE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "author-guide.md"
FORGOTTEN = "What a forgotten step says"


def blocks(until=None):
    """(line, language, text) for each block, as far as the section `until`."""
    text = GUIDE.read_text()
    if until:
        text = text[: text.index(f"## {until}\n")]
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text[: match.start()].count("\n") + 1, match[1], match[2]


def plain(text):
    return " ".join(text.split())


class Reader:
    """Does in a folder what the guide says."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment
        self.output, self.code = "", 0

    def named_file(self, first_line):
        path = self.folder / first_line.split(maxsplit=1)[1]
        path.parent.mkdir(exist_ok=True)
        return path

    def write(self, text):
        first, rest = text.split("\n", 1)
        self.named_file(first).write_text(rest)

    def change(self, text):
        first, *lines = text.splitlines()
        path = self.named_file(first)
        old = "".join(line[1:] + "\n" for line in lines if line[:1] != "+")
        new = "".join(line[1:] + "\n" for line in lines if line[:1] != "-")
        assert path.read_text().count(old) == 1, f"{path.name} does not have once:\n{old}"
        path.write_text(path.read_text().replace(old, new))

    def run(self, command):
        result = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.folder,
            env=self.environment,
            timeout=400,
        )
        self.output, self.code = result.stdout, result.returncode

    def do(self, language, text):
        self.code = 0
        if language == "cpp" or (language == "python" and text.startswith("# ")):
            self.write(text)
        elif language == "diff":
            self.change(text)
        elif language == "sh":
            self.run(["bash", "-e", "-c", text])
        elif language == "python":
            self.run(["python", "-c", text])
        else:
            raise AssertionError(f"no block of this guide is {language}")


@pytest.fixture
def reader(tmp_path, program_environment):
    return Reader(tmp_path, program_environment)


def test_the_blocks_in_order(reader):
    all_blocks = list(blocks())
    assert len(all_blocks) > 30
    for (line, language, text), following in zip(all_blocks, [*all_blocks[1:], (0, "", "")]):
        where = f"{GUIDE.name}:{line}"
        if language == "text":
            for expected in text.splitlines():
                assert plain(expected) in plain(reader.output), f"{where}:\n{reader.output}"
        elif text.startswith("opwright build wave_gate --debug\ngdb") and not shutil.which("gdb"):
            break  # the last of the blocks
        else:
            try:
                reader.do(language, text)
            except AssertionError as error:
                raise AssertionError(f"{where}: {error}") from error
            assert reader.code == 0 or following[1] == "text", f"{where}:\n{reader.output}"


# How a reader forgets it: a file, what stands there, and what stands there then.
COMPILING = {
    "`Shape`": ("op.h", "void Shape(", "void Sharp("),
    "`Gradient`": ("op.h", "static void Gradient(", "static void Slope("),
    "the constructor": (
        "op.h",
        "explicit WaveGate(const opwright::Attributes& a)",
        "WaveGate(int a)",
    ),
    'a type in `Output("gate: T")`': ("op.h", '"gate: T"', '"gate"'),
    "to declare `T`": ("op.h", '.Attr<T>("T")', '.Attr("U: int = 0")'),
    "`Compute`": ("op.h", "void Compute(", "void Computed("),
}
BUILDING = {"`OPWRIGHT_OP`": ("op.cc", "OPWRIGHT_OP(WaveGate);", "")}
USING = {
    "to declare an attribute": ("op.h", '.Attr("steepness: float = 1.0")', ""),
    "`SetOutput(1, ...)`": ("op.h", "c.SetOutput(1, c.Same(0, 1));", ""),
    "`d_input(1)`": ("op.h", "g.d_input(1) =", "(void)"),
    "that an index begins with 0": ("op.cc", "call.output<T>(1)", "call.output<T>(2)"),
    "the attribute's kind": (
        "op.h",
        'steepness_(a.Get<float>("steepness"))',
        'steepness_(float(a.Get<int>("steepness")))',
    ),
}
TESTING = {"to write an output": ("op.cc", "gate[i] = open;", "")}


def sentences():
    """What the guide says about each thing that can be forgotten."""
    section = GUIDE.read_text().split(f"## {FORGOTTEN}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.*?) \| (.*) \|$", section, re.MULTILINE)
    return {forgotten: said for forgotten, said in rows if forgotten != "you forget"}


@pytest.fixture(scope="module")
def finished(tmp_path_factory, program_environment):
    """The project as it is where the guide speaks of forgotten steps."""
    reader = Reader(tmp_path_factory.mktemp("guide"), program_environment)
    for _, language, text in blocks(until=FORGOTTEN):
        if language in ("cpp", "diff") or text.startswith("opwright new"):
            reader.do(language, text.split("\n", 1)[0] if language == "sh" else text)
    return reader.folder / "wave_gate"


def forget(finished, folder, edit):
    file, present, then = edit
    shutil.copytree(finished, folder)
    text = (folder / file).read_text()
    assert present in text
    (folder / file).write_text(text.replace(present, then))
    return folder


def test_all_rows_are_tested():
    assert set(sentences()) == {*COMPILING, *BUILDING, *USING, *TESTING}


@pytest.mark.parametrize("forgotten", COMPILING)
def test_forgotten_while_compiling(forgotten, finished, tmp_path, opwright):
    folder = forget(finished, tmp_path / "op", COMPILING[forgotten])
    (folder / "CMakeLists.txt").unlink()
    (folder / "Makefile").unlink()
    (folder / "reference.cc").unlink()
    said = opwright("build", folder, code=1).stderr
    end = said[said.rindex("opwright: ") :]
    assert sentences()[forgotten] in plain(end)
    assert f"{folder / 'op.cc'} " in said  # the compiler's whole line


def test_forgotten_while_building(finished, tmp_path, opwright):
    for forgotten, edit in BUILDING.items():
        folder = forget(finished, tmp_path / "op", edit)
        assert sentences()[forgotten] in plain(opwright("build", folder, code=1).stderr)


USE = """
import sys
import tensorflow as tf

for path, name in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        op = getattr(tf.load_op_library(path), name)
        x = tf.constant([1.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = op(x, x)[0]
        tape.gradient(y, x)
        print("nothing")
    except Exception as error:
        print(" ".join(str(error).split()))
"""


def test_forgotten_while_using(finished, tmp_path, opwright, run_child):
    arguments = []
    for number, edit in enumerate(USING.values()):
        folder = forget(finished, tmp_path / f"op{number}", edit)
        for path in folder.glob("op.*"):  # each an op of its own
            path.write_text(path.read_text().replace("WaveGate", f"WaveGate{number}"))
        for path in [folder / "CMakeLists.txt", folder / "Makefile", folder / "reference.cc"]:
            path.unlink()
        opwright("build", folder)
        arguments += [folder / "build" / f"lib{folder.name}.so", f"wave_gate{number}"]
    said = run_child(USE, *arguments).stdout.splitlines()
    assert len(said) == len(USING)
    for forgotten, line in zip(USING, said):
        assert sentences()[forgotten] in line


RUN = """
#include <gtest/gtest.h>

#include "opwright/testing/host.h"

using namespace opwright::testing;

TEST(WaveGate, Runs) {
  const Tensor x = Tensor::Of<float>({3}, {1, 2, 3});
  Host().Op("WaveGate").Run({x, x});
}
"""


def test_forgotten_in_tests(finished, tmp_path, opwright):
    for forgotten, edit in TESTING.items():
        folder = forget(finished, tmp_path / "op", edit)
        (folder / "test.cc").write_text(RUN)
        said = opwright("build", folder, "--test", code=1).stdout
        assert sentences()[forgotten] in said
