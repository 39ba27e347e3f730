"""ONNX expressions: each Python operator adds a node to a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._optional import load


def _node(kind: str) -> Any:
    """The method of `Value` that adds a node with two inputs."""
    return lambda one, other: one.graph.add(kind, one, other)


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """The output of a node: a number or a truth value per row."""

    graph: Graph
    name: str

    __add__, __sub__, __truediv__ = _node("Add"), _node("Sub"), _node("Div")
    __le__, __lt__ = _node("LessOrEqual"), _node("Less")
    __ge__, __gt__ = _node("GreaterOrEqual"), _node("Greater")
    __and__, __or__ = _node("And"), _node("Or")

    def __mul__(self, other: Value) -> Value:
        return self.graph.product(self, other)


class Graph:
    """Nodes in order of computation, and the constants that they read.

    It is the ONNX dialect for `row_expressions` and `row_posteriors`; numbers are doubles.
    """

    def __init__(self) -> None:
        self.onnx = load("onnx", extra="onnx")
        self.nodes: list[Any] = []
        self.constants: dict[bytes, Any] = {}
        self.numbers: dict[str, float] = {}

    def add(self, kind: str, *inputs: Value, called: str = "", **settings: Any) -> Value:
        """Add a node, and return its output."""
        name = called or f"v{len(self.nodes)}"
        names = [value.name for value in inputs]
        self.nodes.append(self.onnx.helper.make_node(kind, names, [name], **settings))
        return Value(self, name)

    def constant(self, values: Any) -> Value:
        """An array that is part of the graph, in its own type."""
        array: NDArray[Any] = np.asarray(values)
        key = array.dtype.str.encode() + str(array.shape).encode() + array.tobytes()
        if array.dtype.kind in "OU":
            key = repr(array.tolist()).encode()
        if key not in self.constants:
            made = self.onnx.numpy_helper.from_array(array, f"c{len(self.constants)}")
            self.constants[key] = made
        return Value(self, self.constants[key].name)

    def cast(self, value: Value, kind: str) -> Value:
        """The same in another type, such as DOUBLE."""
        return self.add("Cast", value, to=getattr(self.onnx.TensorProto, kind))

    def product(self, one: Value, other: Value) -> Value:
        """One value times another.

        onnxruntime drops a factor that is 1 in single precision, even for doubles, and with it the
        margin for ties. So the part of the factor above 1 is multiplied separately and added.
        """
        for factor, value in ((one, other), (other, one)):
            number = self.numbers.get(factor.name, 1.0)
            if number != 1.0 and np.float32(number) == 1.0:
                return self.add("Add", value, value * self.literal(number - 1.0))
        return self.add("Mul", one, other)

    # ------------------------------------------------------------- the words of a dialect

    def literal(self, value: Any) -> Value:
        """A float as a double, a whole number as such."""
        made = self.constant(np.float64(value) if isinstance(value, float) else np.int64(value))
        if isinstance(value, float):
            self.numbers[made.name] = value
        return made

    def first_of(self, branches: list[tuple[Value, Value]], otherwise: Value) -> Value:
        """The value of the first condition that holds."""
        for condition, value in reversed(branches):
            otherwise = self.add("Where", condition, value, otherwise)
        return otherwise

    def between(self, value: Value, low: Value, high: Value) -> Value:
        """Whether a value lies in a range, ends included; false for nan."""
        above: Value = value >= low
        return self.add("And", above, value <= high)

    def smallest(self, values: list[Value]) -> Value:
        """The least of several."""
        return self.add("Min", *values)

    def greatest(self, values: list[Value]) -> Value:
        """The greatest of several."""
        return self.add("Max", *values)

    def log(self, value: Value) -> Value:
        """The natural logarithm."""
        return self.add("Log", value)

    def exp(self, value: Value) -> Value:
        """The exponential."""
        return self.add("Exp", value)

    def power(self, value: Value, exponent: Value) -> Value:
        """A non-negative number to a power."""
        return self.add("Pow", value, exponent)

    # ------------------------------------------------------------- tables

    def interpolated(self, value: Value, at: NDArray[Any], values: NDArray[Any]) -> Value:
        """A table at ascending points, read at a value: linear between points, constant beyond.

        The point is found by bisection, one step for each power of two.
        """
        lowest, highest = self.constant(at[0]), self.constant(at[-1])
        inside = self.smallest([self.greatest([value, lowest]), highest])
        steps = 1 << max(1, int(np.ceil(np.log2(len(at)))))
        padded = self.constant(np.append(at, np.full(steps - len(at), np.inf)))
        place = self.cast(inside - inside, "INT64")
        while steps > 1:
            steps //= 2
            further = place + self.constant(np.int64(steps))
            reached = self.add("Gather", padded, further) <= inside
            place = self.add("Where", reached, further, place)
        left = self.smallest([place, self.constant(np.int64(len(at) - 2))])
        right = left + self.constant(np.int64(1))
        x, y = self.constant(at), self.constant(values)
        x0, x1, y0, y1 = (self.add("Gather", of, k) for of in (x, y) for k in (left, right))
        return self.add("Add", y0, (inside - x0) / (x1 - x0) * (y1 - y0))
