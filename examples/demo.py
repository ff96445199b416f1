"""The main job of opwright, on real input: an op in one C++ file, compiled, opened, used, trained.

Run it with `make demo`. It compiles examples/first_op/element_mul.cc, opens the library with plain
tf.load_op_library, and works with it on a photograph. Pictures are written to build/demo.
"""

import importlib.util
import os
import pathlib
import subprocess
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
SOURCE = REPOSITORY / "examples" / "first_op" / "element_mul.cc"
OUTPUT = REPOSITORY / "build" / "demo"


def heading(text):
    print(f"\n== {text}", flush=True)


def compile_op():
    """A bare g++ line: no TensorFlow header, no build file."""
    heading("An op library from one file")
    library = OUTPUT / "libelement_mul.so"
    command = ["g++", "-std=c++17", "-O2", "-shared", "-fPIC", f"-I{REPOSITORY}"]
    command += [str(SOURCE), "-o", str(library)]
    print("  " + " ".join(os.path.relpath(part) if "/" in part[:1] else part for part in command))
    start = time.perf_counter()
    subprocess.run(command, check=True)
    seconds = time.perf_counter() - start
    lines = len(SOURCE.read_text().splitlines())
    print(f"  {lines} lines, compiled in {seconds:.1f} s, {library.stat().st_size // 1024} KiB")
    return library


def multiply_and_differentiate(element_mul):
    heading(f"In TensorFlow {tf.__version__}, by tf.load_op_library alone")
    a, b = tf.constant([1.0, 2.0, 3.0]), tf.constant([4.0, 5.0, 6.0])
    with tf.GradientTape() as tape:
        tape.watch(a)
        product = element_mul(a, b)
    print("  element_mul([1, 2, 3], [4, 5, 6]) =", product.numpy())
    print("  its gradient in the first argument =", tape.gradient(product, a).numpy())
    try:
        element_mul(a, b[:2])
    except tf.errors.InvalidArgumentError as error:
        print("  a bad shape:", error.message.split("}} ")[-1].split(" [Op:")[0])


def photograph():
    """A cat, 300 by 451 pixels, from the package scikit-image; values in [0, 1]."""
    package = pathlib.Path(importlib.util.find_spec("skimage").origin).parent
    image = tf.io.decode_png(tf.io.read_file(str(package / "data" / "chelsea.png")), channels=3)
    return tf.image.convert_image_dtype(image, tf.float32)


def write_png(name, picture):
    path = OUTPUT / name
    picture = tf.image.convert_image_dtype(tf.cast(picture, tf.float32), tf.uint8, saturate=True)
    tf.io.write_file(str(path), tf.io.encode_png(picture))
    print(f"  wrote {os.path.relpath(path)}")


def vignette(grid):
    """A mask of the photograph's size from a coarse grid of brightness values, smoothly between."""
    return tf.image.resize(grid, [300, 451])


def darkened_corners():
    """A lens's natural light falloff: the fourth power of the cosine of the angle off its axis."""
    y, x = np.meshgrid(np.linspace(-1, 1, 6), np.linspace(-1.5, 1.5, 9), indexing="ij")
    return tf.constant((1 + 0.5 * (x**2 + y**2)) ** -2, tf.float32)[:, :, tf.newaxis]


def darken(element_mul, picture):
    heading("A photograph times a mask")
    mask = tf.tile(vignette(darkened_corners()), [1, 1, 3])
    write_png("photograph.png", picture)
    dark = element_mul(picture, mask)
    write_png("darkened_float32.png", dark)
    half = element_mul(tf.cast(picture, tf.float16), tf.cast(mask, tf.float16))
    write_png("darkened_half.png", half)
    difference = float(tf.reduce_max(tf.abs(tf.cast(half, tf.float32) - dark)))
    print(f"  half and float32 differ by {difference:.1e} at most")
    return dark


def learn_mask(element_mul, picture, dark):
    """Gradient descent with momentum, through the op's own gradient."""
    heading("The mask, learned back from the two pictures")
    grid = tf.Variable(tf.ones([6, 9, 1]))
    velocity = tf.Variable(tf.zeros([6, 9, 1]))

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            mask = tf.tile(vignette(grid), [1, 1, 3])
            loss = tf.reduce_mean(tf.square(element_mul(picture, mask) - dark))
        velocity.assign(0.95 * velocity - 20.0 * tape.gradient(loss, grid))
        grid.assign_add(velocity)
        return loss

    truth = vignette(darkened_corners())
    for count in range(1, 401):
        loss = step()
        if count in (1, 10, 50, 100, 200, 400):
            error = float(tf.reduce_max(tf.abs(vignette(grid) - truth)))
            print(
                f"  step {count:3d}: loss {float(loss):.2e}, largest error {error:.1e}", flush=True
            )
    write_png("learned_mask.png", vignette(grid))
    if not error < 1e-3:
        raise SystemExit(f"The mask was not learned: its largest error is {error}, not below 1e-3.")


def main():
    OUTPUT.mkdir(parents=True, exist_ok=True)
    element_mul = tf.load_op_library(str(compile_op())).element_mul
    multiply_and_differentiate(element_mul)
    picture = photograph()
    learn_mask(element_mul, picture, darken(element_mul, picture))
    print(f"\nDone. The pictures are in {os.path.relpath(OUTPUT)}.")


if __name__ == "__main__":
    main()
