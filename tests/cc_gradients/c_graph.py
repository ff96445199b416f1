"""TensorFlow's C interface as far as these tests use it: graphs, TF_AddGradients, sessions.

Its functions are those of the libtensorflow_cc that this Python's TensorFlow has loaded.
"""

import ctypes
import pathlib

import numpy as np
import tensorflow as tf

_api = ctypes.CDLL(str(pathlib.Path(tf.__file__).parent / "libtensorflow_cc.so.2"))


class _Output(ctypes.Structure):
    _fields_ = [("operation", ctypes.c_void_p), ("index", ctypes.c_int)]


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
        ("deallocator", ctypes.c_void_p),
    ]


def _function(name, result, *arguments):
    function = getattr(_api, name)
    function.restype, function.argtypes = result, arguments
    return function


_P, _INT, _SIZE, _TEXT = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_char_p
_OUTPUTS, _TENSORS = ctypes.POINTER(_Output), ctypes.POINTER(ctypes.c_void_p)
_DIMS = ctypes.POINTER(ctypes.c_int64)
_new_status = _function("TF_NewStatus", _P)
_get_code = _function("TF_GetCode", _INT, _P)
_message = _function("TF_Message", _TEXT, _P)
_new_graph = _function("TF_NewGraph", _P)
_new_import_options = _function("TF_NewImportGraphDefOptions", _P)
_import = _function("TF_GraphImportGraphDef", None, _P, ctypes.POINTER(_Buffer), _P, _P)
_new_buffer = _function("TF_NewBuffer", ctypes.POINTER(_Buffer))
_export = _function("TF_GraphToGraphDef", None, _P, ctypes.POINTER(_Buffer), _P)
_operation_by_name = _function("TF_GraphOperationByName", _P, _P, _TEXT)
_add_gradients = _function(
    "TF_AddGradientsWithPrefix",
    *(None, _P, _TEXT, _OUTPUTS, _INT, _OUTPUTS, _INT, _OUTPUTS, _P, _OUTPUTS),
)
_new_session_options = _function("TF_NewSessionOptions", _P)
_new_session = _function("TF_NewSession", _P, _P, _P, _P)
_session_run = _function(
    "TF_SessionRun",
    *(None, _P, _P, _OUTPUTS, _TENSORS, _INT, _OUTPUTS, _TENSORS, _INT, _P, _INT, _P, _P),
)
_allocate = _function("TF_AllocateTensor", _P, _INT, _DIMS, _INT, _SIZE)
_data = _function("TF_TensorData", _P, _P)
_byte_size = _function("TF_TensorByteSize", _SIZE, _P)
_type = _function("TF_TensorType", _INT, _P)
_rank = _function("TF_NumDims", _INT, _P)
_dim = _function("TF_Dim", ctypes.c_int64, _P, _INT)


class Failure(Exception):
    """A status that is not OK: its code and message."""

    def __init__(self, status):
        self.code, self.message = _get_code(status), _message(status).decode()
        super().__init__(f"{self.code}: {self.message}")


def _checked(function, *arguments):
    """Calls a function whose last argument is a status."""
    status = _new_status()
    result = function(*arguments, status)
    if _get_code(status):
        raise Failure(status)
    return result


def _outputs(pairs):
    return (_Output * (len(pairs) + 1))(*(_Output(*pair) for pair in pairs))


def _to_tensor(array):
    dims = (ctypes.c_int64 * (array.ndim + 1))(*array.shape)
    dtype = tf.as_dtype(array.dtype).as_datatype_enum
    tensor = _allocate(dtype, dims, array.ndim, array.nbytes)
    ctypes.memmove(_data(tensor), array.tobytes(), array.nbytes)
    return tensor


def _to_array(tensor):
    dtype = tf.as_dtype(_type(tensor)).as_numpy_dtype
    content = ctypes.string_at(_data(tensor), _byte_size(tensor)) if _byte_size(tensor) else b""
    shape = [_dim(tensor, i) for i in range(_rank(tensor))]
    return np.frombuffer(content, dtype).reshape(shape)


class CGraph:
    """A graph of C, from a GraphDef. Its tensors are pairs of an operation and an index."""

    def __init__(self, content):
        self._graph = _new_graph()
        data = ctypes.create_string_buffer(content, len(content))
        buffer = _Buffer(ctypes.cast(data, _P), len(content), None)
        _checked(_import, self._graph, ctypes.byref(buffer), _new_import_options())

    def graph_def(self):
        buffer = _new_buffer()
        _checked(_export, self._graph, buffer)
        return ctypes.string_at(buffer.contents.data, buffer.contents.length)

    def tensor(self, tensor):
        """That of a tensor of the tf.Graph."""
        return _operation_by_name(self._graph, tensor.op.name.encode()), tensor.value_index

    def gradients(self, prefix, ys, xs, d_ys):
        """New nodes have names that begin with the prefix, or TensorFlow makes it a failure.

        None is no gradient.
        """
        results = (_Output * len(xs))()
        _checked(
            lambda status: _add_gradients(
                *(self._graph, prefix.encode(), _outputs(ys), len(ys), _outputs(xs), len(xs)),
                *(_outputs(d_ys), status, results),
            )
        )
        return [(x.operation, x.index) if x.operation else None for x in results]

    def run(self, fetches, feeds):
        session = _checked(_new_session, self._graph, _new_session_options())
        values = (ctypes.c_void_p * (len(feeds) + 1))(*(_to_tensor(x) for x in feeds.values()))
        results = (ctypes.c_void_p * (len(fetches) + 1))()
        _checked(
            *(_session_run, session, None, _outputs(list(feeds)), values, len(feeds)),
            *(_outputs(fetches), results, len(fetches), None, 0, None),
        )
        return [_to_array(x) for x in results[: len(fetches)]]
