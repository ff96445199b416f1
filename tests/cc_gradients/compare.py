"""Differentiates ops in Python and in C++, and prints a JSON line for each case."""

import importlib.util
import json

import c_graph
import numpy as np
import tensorflow as tf


def differentiable(tensor):
    return tensor.dtype.is_floating or tensor.dtype.is_complex


def reachable(ys):
    """The operations that some ys are computed from. C++ gradients are refused for any other."""
    found, rest = set(), [y.op for y in ys if y is not None]
    while rest:
        op = rest.pop()
        if op not in found:
            found.add(op)
            rest += [x.op for x in op.inputs]
    return found


class Case:
    """One node of an op in a graph of Python, and the same graph in C++.

    Its differentiable inputs are xs. Of the differentiable outputs, ys are those that
    `build(library, *arguments)` returns, or the one of them that `only` counts. The gradients are
    linear in d_ys, and theirs in dd_xs.
    """

    def __init__(self, build, library, arguments, only=None):
        self.graph, self.fed = tf.Graph(), []
        with self.graph.as_default():
            inputs = [self.feed(tf.TensorSpec(shape, tf.float64)) for shape in arguments]
            results = tf.nest.flatten(build(library, *inputs))
            (node,) = (x for x in self.graph.get_operations() if ">" in x.type)
            self.ys = [y for y in results if differentiable(y)]
            if only is not None:
                self.ys = [self.ys[only]]
            self.xs = [x for x in node.inputs if differentiable(x)]
            self.d_ys = [self.feed(y) for y in self.ys]
            self.dd_xs = [self.feed(x) for x in self.xs]
        self.c = self.to_graph_of_c()
        self.sources = []

    def feed(self, like):
        """A tensor whose value is fed, but through another: it may be an answer, too."""
        self.fed.append(tf.compat.v1.placeholder(like.dtype, like.shape))
        return tf.identity(self.fed[-1])

    def to_graph_of_c(self):
        return c_graph.CGraph(self.graph.as_graph_def().SerializeToString())

    def in_python(self):
        with self.graph.as_default():
            first = tf.gradients(self.ys, self.xs, self.d_ys)
            yield first
            there = [i for i, x in enumerate(first) if x is not None]
            d_xs, dd_xs = [first[i] for i in there], [self.dd_xs[i] for i in there]
            ancestors = reachable(d_xs)
            self.sources = [x for x in self.xs + self.d_ys if x.op in ancestors]
            yield tf.gradients(d_xs, self.sources, dd_xs)

    def in_cc(self):
        """After Python, which knows what can be asked for."""
        ys, xs, d_ys, dd_xs, sources = map(
            self.to_c, (self.ys, self.xs, self.d_ys, self.dd_xs, self.sources)
        )
        first = self.c.gradients("first", ys, xs, d_ys)
        yield first
        there = [i for i, x in enumerate(first) if x is not None]
        d_xs, dd_xs = [first[i] for i in there], [dd_xs[i] for i in there]
        yield self.c.gradients("second", d_xs, sources, dd_xs)

    def to_c(self, tensors):
        return [self.c.tensor(x) for x in tensors]

    def run_python(self, fetches, values):
        with tf.compat.v1.Session(graph=self.graph) as session:
            return session.run(fetches, dict(zip(self.fed, values)))

    def in_a_copy(self):
        """What is in the graph of C by now, written out and read again: the op itself."""
        self.c = c_graph.CGraph(self.c.graph_def())
        yield self.to_c(self.ys)

    def run_cc(self, fetches, values):
        return self.c.run(fetches, dict(zip(self.to_c(self.fed), values)))


def shown(array):
    if np.iscomplexobj(array):
        array = np.stack([array.real, array.imag])
    return {"shape": list(array.shape), "values": [float(x) for x in array.ravel()]}


def evaluate(results, run, values):
    """For each of two lists of gradients: numbers, None where there is none, or a failure."""
    answers = []
    try:
        for tensors in results:
            there = [x for x in tensors if x is not None]
            numbers = iter(run(there, values) if there else [])
            answers.append([None if x is None else shown(next(numbers)) for x in tensors])
    except c_graph.Failure as failure:
        answers.append({"code": failure.code, "message": failure.message})
    except tf.errors.OpError as error:
        answers.append({"code": error.error_code, "message": error.message})
    except (LookupError, TypeError, ValueError) as error:  # of Python
        answers.append({"message": str(error)})
    return answers


def answers_of(case, rng):
    values = []
    for tensor in case.fed:
        value = rng.normal(size=[2 if n is None else n for n in tensor.shape])
        if tensor.dtype.is_complex:
            value = value + 1j * rng.normal(size=tensor.shape)
        values.append(np.asarray(value, tensor.dtype.as_numpy_dtype))
    return {
        "python": evaluate(case.in_python(), case.run_python, values),
        "cc": evaluate(case.in_cc(), case.run_cc, values),
        "forward": evaluate(case.in_a_copy(), case.run_cc, values),
    }


def differentiable_cases(test_gradients):
    spec = importlib.util.spec_from_file_location("test_gradients", test_gradients)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, (build, arguments) in module.CASES.items():
        yield name, build, arguments, None
    split_sign = module.CASES["split_sign"]
    yield "split_sign_first_output", *split_sign, 0
    yield "split_sign_second_output", *split_sign, 1


VECTOR, MATRIX = (2,), (2, 2)
CONFORMANCE = {
    "opaque": (lambda m, x: m.conformance_opaque(x), [VECTOR]),
    "forgetful": (lambda m, a, b: m.conformance_forgetful(a, b), [VECTOR] * 2),
    "throws": (
        lambda m, x: m.conformance_throw(x, place="gradient", what="out_of_range"),
        [VECTOR],
    ),
    "careless_shape": (
        lambda m, x, gain: m.conformance_careless(x, gain, fault="shape"),
        [MATRIX, VECTOR],
    ),
    "careless_partly_known_shape": (
        lambda m, x, gain: m.conformance_careless(x, gain, fault="shape"),
        [(None, 2), (None,)],
    ),
    "careless_dtype": (
        lambda m, x, gain: m.conformance_careless(x, gain, fault="dtype"),
        [MATRIX, VECTOR],
    ),
    "careless_result": (
        lambda m, x, gain: m.conformance_careless(x, gain, fault="result"),
        [MATRIX, VECTOR],
    ),
}
FAULTS = [
    "none",
    "integer_d_output",
    "bad_call",
    "wrong_dtype_in_call",
    "no_such_result",
    "no_such_result_at_the_end",
    "attribute_of_other_kind",
    "integer_for_float",
    "integers_for_floats",
]


class WrongDx(Case):
    """In C++ nobody else looks at the dtype of the dx that is given."""

    def __init__(self, library):
        super().__init__(lambda m, x: m.cc_gradients_faults(x, fault="none"), library, [VECTOR], 0)
        with self.graph.as_default():
            self.d_ys = [self.feed(tf.TensorSpec(VECTOR, tf.float32))]
        self.c = self.to_graph_of_c()


def main(test_gradients, conformance, faults, seed):
    """test_gradients: the file with the cases; conformance, faults: the op libraries."""
    rng = np.random.default_rng(int(seed))
    conformance = tf.load_op_library(conformance)
    faults = tf.load_op_library(faults)

    def tell(name, case):
        print(json.dumps({"case": name, **answers_of(case, rng)}), flush=True)

    for name, build, arguments, only in differentiable_cases(test_gradients):
        tell(name, Case(build, conformance, arguments, only))
    for name, (build, arguments) in CONFORMANCE.items():
        tell(name, Case(build, conformance, arguments))
    for fault in FAULTS:
        tell(fault, Case(lambda m, x, f=fault: m.cc_gradients_faults(x, fault=f), faults, [VECTOR]))
    tell("wrong_dx", WrongDx(faults))
