"""What opwright needs in TensorFlow's Python: the gradients of its ops, and its ops as functions.

It becomes the module `_opwright_gradients`, with the name `bridge_file` set, when a gradient is
first asked for or `opwright.load` is called: see python.cc. The registry of TensorFlow has a
function there that calls `gradient`; `opwright.load` uses `names_of` and `function_of`.
"""

import ctypes
import functools
import keyword
import types

import numpy as np
from tensorflow.core.framework import graph_pb2, node_def_pb2, op_def_pb2
from tensorflow.python.framework import (
    _pywrap_python_op_gen,
    constant_op,
    dtypes,
    errors_impl,
    op_def_registry,
    ops,
    tensor_shape,
    tensor_util,
)
from tensorflow.python.ops import array_ops

# A model has few kinds of nodes; but shapes or numbers among the attributes may never repeat.
_MAX_PLANS = 10000

bridge = ctypes.CDLL(bridge_file)  # noqa: F821
bridge.opwright_op_names.restype = ctypes.c_char_p
bridge.opwright_op_names.argtypes = [ctypes.c_void_p]
bridge.opwright_no_gradient.restype = ctypes.c_char_p


@functools.cache
def function_of(op_name):
    """The Python function of an op, as tf.load_op_library would make it, and its name."""
    op_list = op_def_pb2.OpList()
    op_list.op.append(op_def_registry.get(op_name))
    op_list.op[0].summary = f"The op {op_name}."  # Python's registry has dropped what was there
    source = _pywrap_python_op_gen.GetPythonWrappers(op_list.SerializeToString())
    module = types.ModuleType("opwright_op_" + op_name.replace(">", "_"))
    exec(source, module.__dict__)
    raw = getattr(module, op_name.replace(">", "_"))  # the alias for tf.raw_ops
    for name, value in vars(module).items():
        fallback = name.endswith("_eager_fallback")
        if getattr(value, "__module__", "") == module.__name__ and not fallback:
            if callable(value) and value is not raw and not name.startswith("_"):
                return name, value
    return op_name, raw


def to_python(attr):
    """An AttrValue as the argument of a generated function."""
    kind = attr.WhichOneof("value")
    if kind == "list":
        values = attr.list
        if values.type:
            return [dtypes.as_dtype(x) for x in values.type]
        if values.shape:
            return [tensor_shape.TensorShape(x) for x in values.shape]
        return list(values.i or values.f or values.b or values.s)
    if kind == "type":
        return dtypes.as_dtype(attr.type)
    if kind == "shape":
        return tensor_shape.TensorShape(attr.shape)
    return getattr(attr, kind)


def node_of(op):
    """The NodeDef of what is differentiated, without its name and inputs: equal nodes are alike."""
    node = node_def_pb2.NodeDef(name="node", op=op.type)
    if isinstance(op, ops.Operation):
        for name, attr in op.node_def.attr.items():
            if not name.startswith("_"):
                node.attr[name].CopyFrom(attr)
        return node
    for attr in op_def_registry.get(op.type).attr:  # what the tape has kept of an eager call
        try:
            value = op.get_attr(attr.name)
        except KeyError:  # one that has its default
            node.attr[attr.name].CopyFrom(attr.default_value)
            continue
        fill(node.attr[attr.name], attr.type, value)
    return node


_FIELDS = {"int": "i", "float": "f", "bool": "b", "string": "s", "type": "type"}


def fill(attr, kind, value):
    if kind.startswith("list("):
        attr.list.SetInParent()
        for x in value:
            add(attr.list, kind[5:-1], x)
    elif kind == "shape":
        attr.shape.CopyFrom(tensor_shape.as_shape(value).as_proto())
    elif kind == "type":
        attr.type = dtypes.as_dtype(value).as_datatype_enum
    else:
        setattr(attr, _FIELDS[kind], value)


def add(values, kind, x):
    if kind == "shape":
        values.shape.add().CopyFrom(tensor_shape.as_shape(x).as_proto())
    elif kind == "type":
        values.type.append(dtypes.as_dtype(x).as_datatype_enum)
    else:
        getattr(values, _FIELDS[kind]).append(x)


def record(node, needed):
    """Has the bridge play Gradient for a node; see gradient.h for the form of a recording."""
    result, size = ctypes.c_char_p(), ctypes.c_int64()
    flags = (ctypes.c_uint8 * (len(needed) + 1))(*needed)
    code = bridge.opwright_record_gradient(
        node, ctypes.c_int64(len(node)), flags, ctypes.byref(result), ctypes.byref(size)
    )
    answer = ctypes.string_at(result, size.value)
    if code:
        error = errors_impl.exception_type_from_error_code(code)
        raise error(None, None, "gradient of " + answer.decode(errors="replace"))
    return graph_pb2.GraphDef.FromString(answer)


def parse(inputs):
    """Arguments of a call: pairs (source, index), or lists of them."""
    arguments, current = [], None
    for text in inputs:
        if text == "[":
            current = []
        elif text == "]":
            arguments.append(current)
            current = None
        else:
            source, index = text.split(":") if text else (None, 0)
            source = int(source) if source and source.isdigit() else source
            (arguments if current is None else current).append((source, int(index)))
    return arguments


def compile_node(node):
    """A function from the tensors so far to the results of one recorded call."""
    if node.op == "Const":
        value = node.attr["value"].tensor
        dtype = dtypes.as_dtype(value.dtype)
        array = np.frombuffer(value.tensor_content, dtype.as_numpy_dtype)
        array = array.reshape(tensor_util.TensorShapeProtoToList(value.tensor_shape))
        return lambda get: [constant_op.constant(array, dtype)]
    function = function_of(node.op)[1]
    definition = op_def_registry.get(node.op)
    names = [legal(arg.name) for arg in definition.input_arg]
    arguments = list(zip(names, parse(node.input)))
    attributes = {legal(name): to_python(attr) for name, attr in node.attr.items()}
    outputs = definition.output_arg
    several = len(outputs) != 1 or outputs[0].number_attr or outputs[0].type_list_attr

    def call(get):
        tensors = {
            name: [get(*ref) for ref in arg] if isinstance(arg, list) else get(*arg)
            for name, arg in arguments
        }
        result = function(**tensors, **attributes)
        return flatten(result) if several else [result]

    return call


def legal(name):
    return name + "_" if keyword.iskeyword(name) else name


def flatten(result):
    if isinstance(result, (list, tuple)):
        return [tensor for part in result for tensor in flatten(part)]
    return [result]


_plans = {}
# What is a key as it is: equal only if it is the same. 0.0 == -0.0, and a list is no key at all.
_EXACT = (bool, int, str, bytes, dtypes.DType)


def plan_of(op, needed):
    """The recorded calls, names and functions, and where among them the inputs' gradients are."""
    node = None
    attrs = getattr(op, "attrs", None)  # of what the tape has kept; a graph's operation has none
    key = (op.type, attrs, needed)
    if attrs is None or not all(isinstance(x, _EXACT) for x in attrs):
        node = node_of(op).SerializeToString(deterministic=True)
        key = (op.type, node, needed)
    plan = _plans.get(key)
    if plan is None:
        if node is None:
            node = node_of(op).SerializeToString(deterministic=True)
        *calls, last = record(node, needed).node
        plan = [(call.op, compile_node(call)) for call in calls], parse(last.input)
        if len(_plans) >= _MAX_PLANS:
            _plans.clear()
        _plans[key] = plan
    return plan


def differentiable(tensor):
    return tensor.dtype.is_floating or tensor.dtype.is_complex


@functools.cache
def why_no_gradient(op_name):
    why = bridge.opwright_no_gradient(op_name.encode())
    return None if why is None else why.decode(errors="replace")


def gradient(op, *d_outputs):
    """The gradients of an op's inputs; what TensorFlow calls, from tapes and in graphs."""
    why = why_no_gradient(op.type)
    if why is not None:
        raise LookupError(f"{op.type} has no gradient: {why}")
    skip = getattr(op, "skip_input_indices", None) or ()
    needed = bytes(i not in skip and differentiable(x) for i, x in enumerate(op.inputs))
    calls, d_inputs = plan_of(op, needed)
    results = []

    def get(source, index):
        if source == "input":
            return op.inputs[index]
        if source == "output":
            return op.outputs[index]
        if source == "d_output":
            return d_output(op, d_outputs, index)
        if source is None:
            return None
        if index < len(results[source]):
            return results[source][index]
        raise errors_impl.InternalError(
            None,
            None,
            f"gradient of {op.type}: Gradient uses a tensor that does not exist: result {index} of "
            f"{calls[source][0]}, which has {len(results[source])}",
        )

    for _, call in calls:
        results.append(call(get))
    return [checked(op, i, get(*ref)) for i, ref in enumerate(d_inputs)]


def checked(op, i, d_input):
    """A gradient has its input's dtype and shape. What has not would be noticed far from here."""
    if d_input is None:
        return None
    x = op.inputs[i]
    # A variable of TensorFlow 1 is of a reference dtype, its gradient is not.
    if d_input.dtype == x.dtype.base_dtype and d_input.shape.is_compatible_with(x.shape):
        return d_input
    raise errors_impl.InternalError(
        None,
        None,
        f"gradient of {op.type}: that of input tensor {i} is {d_input.dtype.name} "
        f"{d_input.shape}, the input {x.dtype.name} {x.shape}; in Gradient, d_input must be of the "
        "input's dtype and shape (a sum may be missing after a product that broadcasts)",
    )


def d_output(op, d_outputs, index):
    value, output = d_outputs[index], op.outputs[index]
    if not differentiable(output):
        raise errors_impl.InternalError(
            None,
            None,
            f"gradient of {op.type}: output {index} is {output.dtype.name}, "
            "which has no gradient; Gradient must not ask for its d_output",
        )
    if value is None:
        return array_ops.zeros_like(output)
    return ops.convert_to_tensor(value)  # may be IndexedSlices


def names_of(library):
    return bridge.opwright_op_names(library).decode().split()
