"""A rule as an ONNX model: scores in; decisions, their names and expected costs out."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from stakes._checks import as_switch, as_whole
from stakes._files import as_path, write_whole
from stakes._names import one_of
from stakes.exceptions import CostError, DataError
from stakes.rules.onnx_graph import Graph, Value
from stakes.rules.posterior_table import posterior_table
from stakes.rules.row_expressions import argmin, expected_costs
from stakes.rules.row_posteriors import has_formula, posteriors_before, valid

if TYPE_CHECKING:
    from stakes.rules.decision_rule import DecisionRule

#: The version of the file format, which runtimes of 2022 read.
_FILE = 8
_TYPES = {"float32": "FLOAT", "float64": "DOUBLE"}


def rule_as_onnx(
    rule: DecisionRule, path: Any, score_type: str | None, single: bool | None, opset: int
) -> Any:
    """See `DecisionRule.to_onnx`."""
    kind = one_of(rule.score_type if score_type is None else score_type, "score_type", _TYPES)
    graph = Graph()
    opset = as_whole(opset, "opset", least=13, most=graph.onnx.defs.onnx_opset_version())
    one = _takes_one(rule, single)
    _refuse_unsayable(rule)
    given, width = Value(graph, "scores"), None if one else len(rule.classes)
    scores = [graph.add("Gather", given, graph.literal(k), axis=1) for k in range(width or 0)]
    cuts = rule.raw_cuts(kind) if rule.has_raw_cuts else None
    outputs, said = _outputs(replace(rule, score_type=kind), graph, scores or [given], cuts)
    model = _assembled(rule, graph, (_TYPES[kind], width), outputs, said, opset)
    if path is not None:
        write_whole(as_path(path), model.SerializeToString())
    return model


def _takes_one(rule: DecisionRule, single: bool | None) -> bool:
    """Whether the input is one score per case, rather than one per class."""
    two, posterior = len(rule.classes) == 2, rule.scores == "posterior"
    chosen = two and not posterior if single is None else as_switch(single, "single")
    if chosen and not two:
        raise DataError(f"a single score does not tell {len(rule.classes)} classes apart.")
    if two and not chosen and not posterior:
        raise DataError(f"a rule on {rule.scores} of two classes takes one score for each case.")
    return chosen


def _refuse_unsayable(rule: DecisionRule) -> None:
    """Raise for rules that need more than their scores, or that have no formula."""
    if rule.per_case:
        raise CostError(
            "costs per case are no part of the scores, so ONNX cannot decide by them.",
            hint="rule.to_sql(...), or rule.decide(scores, costs=...)",
        )
    if rule.scores == "decision":
        raise CostError("decisions are taken already; there is nothing left to decide.")
    if not rule.has_raw_cuts and not has_formula(rule):
        assert rule.calibrator is not None
        raise CostError(
            f"{rule.calibrator.kind} calibration of {len(rule.classes)} classes has no formula "
            "that ONNX can say.",
            hint="calibrate with Affine(), Temperature() or Vector(), or decide in Python",
        )


def _outputs(
    rule: DecisionRule,
    graph: Graph,
    scores: list[Value],
    cuts: tuple[list[float], list[int]] | None,
) -> tuple[dict[str, Value], dict[str, str]]:
    """The outputs of the graph by name, and its metadata."""
    doubles = [graph.cast(each, "DOUBLE") for each in scores]
    fits = valid(rule, graph, doubles)
    neutral = 1 / len(rule.classes) if rule.scores == "posterior" else 0.0
    doubles = [graph.add("Where", fits, each, graph.literal(neutral)) for each in doubles]
    parts, said = _posteriors(rule, graph, doubles)
    if cuts is not None:
        taken = _by_cuts(rule, graph, scores[-1], *cuts)
    else:
        taken = argmin(graph, *expected_costs(graph, parts, rule._compared))
    decision = graph.add("Where", fits, taken, graph.literal(-1), called="decision")
    names = graph.constant(np.array(["", *map(str, rule.decisions)], dtype=object))
    found = {
        "decision": decision,
        "name": graph.add("Gather", names, decision + graph.literal(1), called="name"),
    }
    if parts:
        shares = parts if said else _moved(rule, graph, parts)
        found["expected_costs"] = _expected(rule, graph, shares, fits)
    return found, said


def _by_cuts(
    rule: DecisionRule, graph: Graph, score: Value, at: list[float], taken: list[int]
) -> Value:
    """Compare the score with the same cuts as `decide`, in its own type."""
    if not at:
        return graph.literal(taken[0])
    column = graph.add("Unsqueeze", score, graph.constant(np.array([1])))
    above = column > graph.constant(np.array(at, dtype=rule.score_type))
    place = graph.add(
        "ReduceSum", graph.cast(above, "INT64"), graph.constant(np.array([1])), keepdims=0
    )
    return graph.add("Gather", graph.constant(np.array(taken, dtype=np.int64)), place)


def _posteriors(
    rule: DecisionRule, graph: Graph, scores: list[Value]
) -> tuple[list[Value], dict[str, str]]:
    """Values proportional to the posteriors, and metadata of a table.

    They are at the priors before moving, or from a table at the rule's priors. Ranks have none.
    """
    if has_formula(rule):
        if rule.scores == "llr" and rule.calibrator is None:
            assert rule.said_at is not None
            logs = np.log(rule.said_at)
            shifts = [logs[1] - logs[0]] if len(scores) == 1 else logs
            pairs = zip(scores, shifts, strict=True)
            scores = [each + graph.literal(float(shift)) for each, shift in pairs]
        return posteriors_before(rule, graph, scores), {}
    if rule.calibrator is None:
        return [], {}
    at, values, error = posterior_table(rule)
    second = graph.interpolated(scores[-1], at, values)
    return [graph.literal(1.0) - second, second], {
        "posteriors": f"{rule.calibrator.kind} calibration, read from a table of {len(at)} places",
        "posterior_error": f"{error:.2g}",
    }


def _moved(rule: DecisionRule, graph: Graph, parts: list[Value]) -> list[Value]:
    """Values proportional to the posteriors at the rule's priors."""
    factors = [float(factor / max(rule.factors)) for factor in rule.factors]
    return [graph.literal(f) * part for f, part in zip(factors, parts, strict=True)]


def _expected(rule: DecisionRule, graph: Graph, parts: list[Value], fits: Value) -> Value:
    """The expected cost of each decision, one column each; nan for invalid rows."""
    total, columns = reduce(add, parts), []
    for column in rule.priced_costs.values.T.tolist():
        sums = [graph.literal(cost) * part for cost, part in zip(column, parts, strict=True)]
        known = graph.add("Where", fits, reduce(add, sums) / total, graph.literal(math.nan))
        columns.append(graph.add("Unsqueeze", known, graph.constant(np.array([1]))))
    return graph.add("Concat", *columns, axis=1, called="expected_costs")


def _assembled(
    rule: DecisionRule,
    graph: Graph,
    taken: tuple[str, int | None],
    outputs: dict[str, Value],
    said: dict[str, str],
    opset: int,
) -> Any:
    """The complete model, checked."""
    onnx, helper, types = graph.onnx, graph.onnx.helper, graph.onnx.TensorProto
    shapes = {
        "decision": (types.INT64, ["n"]),
        "name": (types.STRING, ["n"]),
        "expected_costs": (types.DOUBLE, ["n", len(rule.decisions)]),
    }
    kind, width = taken
    shape = ["n"] if width is None else ["n", width]
    given = helper.make_tensor_value_info("scores", getattr(types, kind), shape)
    given_back = [helper.make_tensor_value_info(name, *shapes[name]) for name in outputs]
    read = {name for node in graph.nodes for name in node.input}
    constants = [each for each in graph.constants.values() if each.name in read]
    made = helper.make_graph(graph.nodes, "decision_rule", [given], given_back, constants)
    model = helper.make_model(
        made,
        opset_imports=[helper.make_opsetid("", opset)],
        producer_name="stakes",
        doc_string=str(rule),
        ir_version=_FILE,
    )
    facts = {
        "rule": str(rule),
        "scores": rule.scores,
        "model": rule.model,
        "unit": rule.application.unit,
    }
    facts |= {"classes": ", ".join(map(str, rule.classes)), **said}
    helper.set_model_props(model, {key: str(value) for key, value in facts.items() if value})
    onnx.checker.check_model(model)
    return model
