"""The main job of opwright, on real input: an op is made, compiled, opened, used, trained.

Run it with `make demo`. It makes the project of an op with `opwright new`, builds it, opens the
library with plain tf.load_op_library, and works with it on a photograph: eagerly, in graphs, under
jit, in a Keras model. The project and the pictures are in build/demo.
"""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

import opwright.keras

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
OPWRIGHT = REPOSITORY / "opwright" / "bin" / "opwright"
OUTPUT = REPOSITORY / "build" / "demo"


def heading(text):
    print(f"\n== {text}", flush=True)


def run_opwright(*arguments):
    shown = [os.path.relpath(word) if os.path.isabs(word) else word for word in arguments]
    print("  $ opwright " + " ".join(shown), flush=True)
    subprocess.run([OPWRIGHT, *arguments], check=True, cwd=OUTPUT)


def make_op():
    """An op's project, and its library: no TensorFlow header, no build file to write."""
    heading("An op, from its name")
    project = OUTPUT / "element_mul"
    shutil.rmtree(project, ignore_errors=True)
    run_opwright("new", "element_mul")
    run_opwright("build", "element_mul", "--python", sys.executable)
    lines = (project / "op.h").read_text().splitlines()
    print(f"  The op is {os.path.relpath(project / 'op.h')}, {len(lines)} lines:\n")
    print("\n".join("    " + line for line in lines))
    return project / "build" / "libelement_mul.so"


def multiply_and_differentiate(element_mul):
    heading(f"In TensorFlow {tf.__version__}, by tf.load_op_library alone")
    a, b = tf.constant([1.0, 2.0, 3.0]), tf.constant([4.0, 5.0, 6.0])
    with tf.GradientTape() as tape:
        tape.watch(a)
        product = element_mul(a, b)
    print("  element_mul([1, 2, 3], [4, 5, 6]) =", product.numpy())
    print("  its gradient in the first argument =", tape.gradient(product, a).numpy())
    compiled = tf.function(element_mul, jit_compile=True)
    print("  in a program of XLA, jit_compile=True =", compiled(a, b).numpy())
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
    # Both factors and the product are rounded to half: for values up to 1, by 2^-11 at most each.
    print(f"  half and float32 differ by {difference:.1e} at most, which must be below 1.5e-03")
    if not difference < 1.5e-3:
        raise SystemExit(f"half and float32 differ by {difference}, not by less than 1.5e-3.")
    return dark


def learn_mask(element_mul, picture, dark):
    """Gradient descent with momentum, through the op's own gradient."""
    heading("The mask, learned back from the two pictures: the largest error must fall below 1e-3")
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
    write_png("true_mask.png", truth)
    if not error < 1e-3:
        raise SystemExit(f"The mask was not learned: its largest error is {error}, not below 1e-3.")


def train_in_keras(element_mul, picture):
    """A colour times a linear function of it; what it is to learn is the colour's square."""
    heading("In a Keras model, compiled by XLA: it learns to darken a colour by its own brightness")
    tf.keras.utils.set_random_seed(1)
    colour = tf.keras.Input((3,))
    darker = opwright.keras.Op(element_mul)(colour, tf.keras.layers.Dense(3)(colour))
    model = tf.keras.Model(colour, darker)
    model.compile(tf.keras.optimizers.Adam(0.03), "mse", jit_compile=True)
    pixels = tf.reshape(picture, [-1, 3]).numpy()
    losses = model.fit(pixels, pixels**2, batch_size=1024, epochs=5, verbose=0).history["loss"]
    print("  loss by epoch:", ", ".join(f"{loss:.1e}" for loss in losses))
    print("  the last loss must be below 1e-03")
    path = OUTPUT / "model.keras"
    model.save(path)
    again = tf.keras.models.load_model(path).predict(pixels, batch_size=1024, verbose=0)
    same = np.array_equal(again, model.predict(pixels, batch_size=1024, verbose=0))
    print("  saved and loaded again; predictions are", "the same" if same else "NOT the same")
    write_png("darkened_by_brightness.png", again.reshape(picture.shape))
    if not (losses[-1] < 1e-3 and same):
        raise SystemExit(f"The model failed: loss {losses[-1]}, predictions the same: {same}.")


def main():
    OUTPUT.mkdir(parents=True, exist_ok=True)
    element_mul = tf.load_op_library(str(make_op())).element_mul
    multiply_and_differentiate(element_mul)
    picture = photograph()
    learn_mask(element_mul, picture, darken(element_mul, picture))
    train_in_keras(element_mul, picture)
    print(f"\nDone. The pictures are in {os.path.relpath(OUTPUT)}. How to make the op your own:")
    print("  export PATH=$PWD/.venv/bin:$PATH, and docs/author-guide.md")


if __name__ == "__main__":
    main()
