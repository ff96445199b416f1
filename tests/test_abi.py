"""A bridge meets tables of other versions, and damaged ones: it works, or says a sentence."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "tests" / "abi" / "table.c"

CHILD = """
import ctypes, sys
import tensorflow as tf

minor = ".".join(tf.__version__.split(".")[:2])
bridge = ctypes.CDLL(f"{sys.argv[1]}/libopwright_bridge_tf{minor}.so")
for file in sys.argv[2:]:
    library = ctypes.CDLL(file)
    library.table.restype = ctypes.c_void_p
    message = ctypes.create_string_buffer(2000)
    attached = bridge.opwright_attach(ctypes.c_void_p(library.table()), message, len(message))
    if not attached:
        print("refused:", message.value.decode(errors="replace"))
        continue
    gradients = sys.modules["_opwright_gradients"]
    gradients.start()
    add = gradients.function_of("AbiAdd")[1]
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = add(x, by=0.5)
    print(y.numpy(), tape.gradient(y, x).numpy())
"""


def compile_table(library, *definitions):
    line = ["gcc", "-std=c11", "-Wall", "-Werror", "-shared", "-fPIC", f"-I{ROOT}", str(SOURCE)]
    line += [f"-D{definition}" for definition in definitions]
    subprocess.run([*line, "-o", str(library)], check=True, timeout=60)
    return library


def attach(run_child, *libraries):
    return run_child(CHILD, ROOT / "opwright" / "lib", *libraries).stdout.splitlines()


@pytest.mark.parametrize(
    "definitions",
    [
        (),
        ("MINOR=99",),
        ("LIBRARY_SIZE=sizeof(OpwrightLibrary)", "OP_SIZE=sizeof(OpwrightOp)"),
        ("ATTR_SIZE=offsetof(OpwrightAttr,strings)",),
    ],
    ids=["longer structs", "newer minor version", "this version's sizes", "a shorter attribute"],
)
def test_it_works(tmp_path, run_child, definitions):
    library = compile_table(tmp_path / "libtable.so", *definitions)
    assert attach(run_child, library) == ["[1.5 2.5] [1. 1.]"]


REFUSED = [
    ("MAJOR=OPWRIGHT_ABI_MAJOR+1", "install a newer opwright beside TensorFlow"),
    ("MAJOR=OPWRIGHT_ABI_MAJOR-1", "build the op library again"),
    ("LIBRARY_SIZE=0", "offers no table"),
    ("LIBRARY_SIZE=16", "the library's table is incomplete"),
    ("OP_SIZE=0", "an op's table is incomplete"),
    ("OP_SIZE=40", "an op's table is incomplete"),
    ("KERNEL_SIZE=16", "a kernel's table is incomplete"),
    ("N_DTYPES=0", "a kernel has 0 dtypes, the declaration 1 type attributes"),
    ("N_DTYPES=2", "a kernel has 2 dtypes, the declaration 1 type attributes"),
    ("DTYPE=77", "a kernel is for dtype 77, which this bridge does not know"),
    ('LINES="later x\\n"', "the line 'later x', which this bridge does not know"),
    ('LINES="input x\\n"', "TensorFlow does not accept its declaration"),
    ('LINES="attr T: int\\n"', "TensorFlow does not accept its declaration"),
    ('LINES="forward 0 7\\n"', "forwards input 0 to output 7"),
    ('LINES="forward x\\n"', "the line 'forward x'"),
    ('LINES="\\xff\\x01\\x02"', "does not know"),
]


def test_it_is_refused(tmp_path, run_child):
    libraries = [
        compile_table(tmp_path / f"libtable{i}.so", definition)
        for i, (definition, _) in enumerate(REFUSED)
    ]
    lines = attach(run_child, *libraries)
    assert len(lines) == len(REFUSED)
    for (definition, sentence), line in zip(REFUSED, lines):
        assert line.startswith("refused: "), definition
        assert sentence in line, definition
