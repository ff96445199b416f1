"""Opening op libraries."""

import ctypes
import os
import pathlib
import sys
import types

_loaded = {}


def _not_for_autograph(function):
    """In a tf.function it runs as it is; AutoGraph would try to rewrite it, and warn."""
    # What tf.autograph.experimental.do_not_convert leaves on a function; TensorFlow need not be
    # imported for it.
    function.autograph_info__ = {}
    return function


@_not_for_autograph
def load(path):
    """Opens an op library and returns its ops as functions.

    Like `tf.load_op_library`, but it always returns the functions: also when the library was
    opened before, by another spelling of its path, by a copy of the file, or before TensorFlow was
    imported. And it raises what is wrong, where `tf.load_op_library` returns a module without
    functions.

    Args:
      path: the library's file, a string or a path.

    Returns:
      A module with a function for each op: `ElementMul` is `element_mul`, `My>Op` is `my_op`. The
      functions take TensorFlow's dtypes and shapes, and work eagerly and in graphs.

    Raises:
      FileNotFoundError: there is no such file.
      ValueError: the file is not an op library of opwright.
      RuntimeError: the ops cannot be registered, for instance because there is no bridge for this
        version of TensorFlow, or because another library has an op of the same name; or the file
        was built again since this process opened it.
    """
    if not os.fspath(path):
        raise FileNotFoundError("opwright.load: the path is empty; give the file of an op library")
    file = os.path.realpath(os.fsdecode(path))
    if os.path.isdir(file):
        raise FileNotFoundError(f"opwright.load: {os.fspath(path)!r} is a folder, not a library")
    if not os.path.isfile(file):
        raise FileNotFoundError(f"opwright.load: there is no file {os.fspath(path)!r}")
    status = os.stat(file)
    build = (status.st_ino, status.st_size, status.st_mtime_ns)
    if file not in _loaded:
        _loaded[file] = build, _open(file)
    opened, module = _loaded[file]
    if opened != build:
        raise RuntimeError(
            f"opwright.load: {file} was built again since this process opened it; a process keeps "
            "what it has opened, so start Python again"
        )
    return module


def _open(file):
    import tensorflow as tf

    try:
        tf.load_op_library(file)
        library = ctypes.CDLL(file)
        init = library.opwright_init
    except (tf.errors.OpError, OSError) as error:
        message = getattr(error, "message", str(error))
        raise ValueError(f"opwright.load: {file} does not open: {message}") from error
    except AttributeError:
        raise ValueError(
            f"opwright.load: {file} is not an op library of opwright (it has no function "
            "opwright_init); open others with tf.load_op_library"
        ) from None
    init.restype = ctypes.c_void_p
    message = ctypes.c_char_p()
    table = init(ctypes.byref(message))
    if message.value:
        reason = message.value.decode(errors="replace")
        raise RuntimeError(f"opwright.load: the ops of {file} are not registered: {reason}")
    return _functions(file, table)


def _functions(file, table):
    gradients = sys.modules.get("_opwright_gradients")  # from the bridge, with its first op
    if gradients is None:
        raise ValueError(
            f"opwright.load: {file} has no op; OPWRIGHT_OP(MyOp) in its source makes one"
        )
    gradients.start()
    module = types.ModuleType("opwright_library_" + pathlib.Path(file).stem, f"The ops of {file}.")
    module.__file__ = file
    for op_name in gradients.names_of(table):
        name, function = gradients.function_of(op_name)
        setattr(module, name, function)
    names = [name for name in vars(module) if not name.startswith("_")]

    def no_such_op(name):
        raise AttributeError(f"{file} has no op {name!r}; it has {', '.join(names)}")

    module.__getattr__ = no_such_op
    return module


@_not_for_autograph
def pack(family):
    """The module of a library that comes with opwright; `family` as in libopwright_<family>.so."""
    file = pathlib.Path(__file__).resolve().parent / "lib" / f"libopwright_{family}.so"
    if not file.is_file():
        raise ImportError(
            f"opwright is not built: {file} is missing. In a checkout, `make demo` builds it."
        )
    return load(file)
