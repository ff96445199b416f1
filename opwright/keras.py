"""Ops as Keras layers.

    layer = opwright.keras.Op(opwright.element_mul)
    y = layer(a, b)  # tensors, or the symbolic ones of a functional model

In Keras 3 (TensorFlow 2.16 and later) and in Keras 2 (TensorFlow 2.15): it is `tf.keras` that is
used. Import this module before a model with such a layer is loaded.
"""

import inspect

import numpy as np
import tensorflow as tf

from opwright import _keras_saving

__all__ = ["Op"]

if tf.keras.backend.backend() != "tensorflow":
    raise ImportError(
        f"opwright.keras: the backend of Keras is {tf.keras.backend.backend()}, and ops of "
        "TensorFlow need tensorflow; set KERAS_BACKEND=tensorflow before Keras is imported"
    )


@tf.keras.utils.register_keras_serializable(package="opwright")
class Op(tf.keras.layers.Layer):
    """A function of tensors, such as an op, as a layer without weights.

        multiply = opwright.keras.Op(opwright.element_mul)
        y = multiply(a, b)

        affine = opwright.keras.Op(opwright.load("libmy_op.so").affine, scale=2.0)
        y = affine(x, [bias])

    A layer works where the function alone does not: with the symbolic tensors of a functional
    model, under a policy of mixed precision, and in what a model saves.

    The layer is called as the function is: tensors by position or by name, lists of tensors where
    the function takes lists. By position they go to those parameters that `arguments` leave free.
    A dict as the only argument means its items by name: this is the form in which Keras keeps a
    call. It returns what the function returns, a named tuple if that does; the shapes of symbolic
    results are those of the op's shape function.

    As in any layer, tensors of a floating dtype become the layer's compute dtype before the call,
    arrays among `arguments` too; others stay as they are. An op that takes only float64 needs
    `dtype="float64"`.

    A saved model has the name of the function, never its code, and opens no library: before it is
    loaded in another process, `opwright.load` or `tf.load_op_library` must have opened the library
    of an op that is not the package's own.

    Args:
      function: a function of this package, as `opwright.element_mul`; one of a module that
        `opwright.load` or `tf.load_op_library` has returned; or any function whose parameters have
        names, which can be saved if it is registered with
        `tf.keras.utils.register_keras_serializable`.
      **arguments: the function's other arguments by name, which are saved with the layer: None,
        numbers, strings, dtypes, shapes, arrays of NumPy, and lists of these. `name`, `dtype` and
        `trainable` are the layer's; but `dtype` and `trainable` are the function's if it has a
        parameter of that name.

    Raises:
      TypeError: the function has no parameter of a name in `arguments`, or a value cannot be saved;
        in a call, an argument is missing, given twice, or not of tensors.
      ValueError: from `get_config` and when a model is saved, that the function has no name to be
        saved by; when one is loaded, that there is no such function, or its library is not open.
    """

    def __init__(self, function, /, *values, **arguments):
        if values:
            raise TypeError(
                f"opwright.keras.Op: {values[0]!r} is given without a name; the function's "
                f"arguments are given by name, as in Op({_name(function)}, scale=2.0)"
            )
        own = {"name"} | {"dtype", "trainable"}.difference(_parameters(function))
        keywords = {key: arguments.pop(key) for key in own.intersection(arguments)}
        self._start(function, arguments, keywords)

    def _start(self, function, arguments, keywords):
        if keywords.get("name") is None:
            keywords = {**keywords, "name": _layer_name(function)}
        super().__init__(**keywords)
        self._applied = _Applied(function, arguments)

    def __call__(self, *tensors, training=None, **named):
        given = self._applied.bind(tensors, named)
        return super().__call__(given, **({} if training is None else {"training": training}))

    def call(self, inputs, training=None):
        # Layers around this one may call `call` with a tensor.
        named = inputs if isinstance(inputs, dict) else self._applied.bind((inputs,), {})
        dtype = tf.as_dtype(self.compute_dtype)

        def tensor(value):
            if isinstance(value, list):
                return [tensor(part) for part in value]
            if not isinstance(value, np.ndarray):
                return value
            value = tf.constant(value)
            return tf.cast(value, dtype) if value.dtype.is_floating and dtype.is_floating else value

        fixed = {key: tensor(value) for key, value in self._applied.arguments.items()}
        return self._applied.run(**named, **fixed, **self._applied.training(training))

    def compute_output_spec(self, inputs):
        # Keras 3 would make it of compute_output_shape, and lose the dtypes.
        try:
            return super(tf.keras.layers.Layer, self).compute_output_spec(inputs)
        except ValueError as error:
            # It would also advise to write this very function; what the op says is enough.
            raise ValueError(str(error).rpartition("Error encountered:\n\n")[2]) from None

    def compute_output_shape(self, input_shape):
        # Layers around this one ask for it, TimeDistributed for instance.
        shapes = input_shape if isinstance(input_shape, dict) else {None: input_shape}
        specs = {key: tf.TensorSpec(shape, self.compute_dtype) for key, shape in shapes.items()}
        call = tf.function(self.call, autograph=False)
        results = call.get_concrete_function(specs.get(None, specs)).structured_outputs
        return tf.nest.map_structure(lambda result: tuple(result.shape), results)

    def get_config(self):
        return {**super().get_config(), **self._applied.config()}

    @classmethod
    def from_config(cls, config):
        keywords = dict(config)
        function, arguments = _keras_saving.read(
            keywords.pop("function", None), keywords.pop("arguments", None)
        )
        layer = cls.__new__(cls, function)
        layer._start(function, arguments, keywords)
        return layer

    def __repr__(self):
        parts = [self._applied.name]
        parts += [f"{key}={value!r}" for key, value in self._applied.arguments.items()]
        return f"Op({', '.join(parts)}, name={self.name!r})"


# Parameters that a call never gives: a function's name for its operation, and what Keras knows.
_NO_TENSORS = ("name", "training")


class _Applied:
    """A function and its fixed arguments. Keras would track, and wrap, a dict or a list."""

    def __init__(self, function, arguments):
        self.function, self.name = function, _name(function)
        self.parameters = _parameters(function)
        ours = _keras_saving.is_public(getattr(function, "__module__", None) or "")
        # AutoGraph has nothing to do in this package, and warns of what it cannot read.
        self.run = tf.autograph.experimental.do_not_convert(function) if ours else function
        self.check_names(arguments)
        self._encoded = {}
        for key, value in arguments.items():
            try:
                self._encoded[key] = _keras_saving.encode(value)
            except TypeError:
                raise TypeError(
                    f"opwright.keras.Op: the argument {key} of {self.name} is of type "
                    f"{type(value).__name__} ({value!r}), which cannot be saved with the layer; "
                    "None, numbers, strings, dtypes, shapes, NumPy arrays and lists of these can. "
                    "Tensors are given in the call"
                ) from None
        # What a loaded layer would have, also if the caller changes a list afterwards.
        self.arguments = {key: _keras_saving.decode(value) for key, value in self._encoded.items()}

    def check_names(self, names):
        for name in names:
            if name not in self.parameters:
                raise TypeError(
                    f"opwright.keras.Op: {self.name} has no parameter {name!r}; it has "
                    + ", ".join(self.parameters)
                )

    def training(self, value):
        """What the function is told of training: what Keras says, unless that is fixed."""
        if "training" not in self.parameters or "training" in self.arguments:
            return {}
        if value is None and self.parameters["training"].default is inspect.Parameter.empty:
            value = False
        return {} if value is None else {"training": value}

    def bind(self, tensors, named):
        """The arguments of a call by name, without the fixed ones."""
        kept = len(tensors) == 1 and isinstance(tensors[0], dict) and not named
        if kept:  # by Keras, and Keras 2 keeps constants as lists of numbers
            tensors, named = (), tensors[0]
        self.check_names(named)
        free = [x for x in self.parameters if x not in self.arguments and x not in _NO_TENSORS]
        if len(tensors) > len(free):
            raise TypeError(
                f"opwright.keras.Op: {self.name} is called with {len(tensors)} tensors, it takes "
                + (f"{len(free)}: {', '.join(free)}" if free else "none")
            )
        given = dict(zip(free, tensors))
        for name in named:
            if name in given or name in self.arguments:
                raise TypeError(f"opwright.keras.Op: {self.name} is given {name} twice")
        given.update(named)
        for name, value in given.items():
            if not kept and not _is_of_tensors(value):
                raise TypeError(
                    f"opwright.keras.Op: {self.name} is called with {value!r} for {name}; a layer "
                    "is called with tensors, arrays and lists of these. Other arguments are given "
                    f"once, when it is made: Op({self.name}, {name}=...)"
                )
        missing = [x for x in free if self.parameters[x].default is inspect.Parameter.empty]
        missing = [name for name in missing if name not in given]
        if missing and len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
            raise TypeError(
                f"opwright.keras.Op: {self.name} is called with one list, and needs "
                f"{', '.join(missing)} too; give the tensors one by one, as in layer(a, b)"
            )
        if missing:
            raise TypeError(
                f"opwright.keras.Op: {self.name} needs {', '.join(missing)}; give tensors in the "
                f"call, and what is no tensor to Op({self.name}, ...)"
            )
        return given

    def config(self):
        return {"function": _keras_saving.identity_of(self.function), "arguments": self._encoded}


def _is_of_tensors(value):
    if isinstance(value, (list, tuple)):
        return all(_is_of_tensors(part) for part in value)
    return value is None or (hasattr(value, "dtype") and hasattr(value, "shape"))


def _name(function):
    return getattr(function, "__name__", None) or repr(function)


def _layer_name(function):
    """As Keras names layers, but by the function: element_mul, element_mul_1."""
    name = _name(function)
    if not name.isidentifier() or name.startswith("_"):
        name = "op"
    number = tf.keras.backend.get_uid(name)
    return name if number == 1 else f"{name}_{number - 1}"


def _parameters(function):
    """The parameters of a function by name."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        parameters = None
    nameless = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
    nameless += (inspect.Parameter.VAR_KEYWORD,)
    if not callable(function):
        raise TypeError(
            f"opwright.keras.Op: {function!r} is no function; give the op's function, as in "
            "Op(opwright.load('libmy_op.so').my_op)"
        )
    if parameters is None or any(x.kind in nameless for x in parameters.values()):
        raise TypeError(
            f"opwright.keras.Op: {function!r} is not a function whose parameters all have names; "
            "put it into a function that has, as in def my_op(a, b): ..."
        )
    return dict(parameters)  # which can be copied
