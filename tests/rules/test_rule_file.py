"""Rules on disk: the same rule again, or a clear refusal."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import stakes
from stakes import Application, CostMatrix, DecisionRule, load_rule
from stakes._checksums import checksum
from stakes.calibration import Affine
from stakes.exceptions import FormatError
from stakes.posteriors import Posteriors
from stakes.rules import rule_schema

COSTS = CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"], decisions=["ignore", "call"])
APP = Application(COSTS, priors=[0.98, 0.02], unit="EUR", volume=1000, period="year")


def fitted():
    rng = np.random.default_rng(3)
    y = (rng.random(400) < 0.3).astype(int)
    return Affine().fit(Posteriors(1 / (1 + np.exp(-rng.normal(2 * y - 1, 2)))), y)


RULES = {
    "plain": DecisionRule(APP, model="gbm", digest="0" * 64),
    "moved": DecisionRule(
        application=APP, from_priors=[0.9, 0.1], score_type="float32", score_range=(0.01, 0.97)
    ).rounded_for([0.3, 0.4]),
    "llr": DecisionRule(APP, scores="llr", score_range=(-np.inf, 3)),
    "certain": DecisionRule(Application([[0, 0], [1, 0]]), scores="log_odds"),
    "rank": DecisionRule(APP, scores="rank", cut=np.inf),
    "per case": DecisionRule(APP, per_case=True),
    "formulas": DecisionRule(
        APP, per_case=True, columns="gbm_p", case_costs=[["0", "5"], ["0.75*amount", "0"]]
    ),
    "decision": DecisionRule(APP, scores="decision"),
    "calibrated": DecisionRule(APP, calibrator=fitted()),
    "several": DecisionRule(CostMatrix.zero_one(2).with_abstention(0.1)),
    "many": DecisionRule(
        application=Application(np.arange(12).reshape(3, 4), priors=[0.2, 0.3, 0.5]),
        from_priors=[0.4, 0.4, 0.2],
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_a_saved_rule_is_the_same_again(name, tmp_path):
    rule = RULES[name]
    rule.save(tmp_path / "rule.json")
    again = load_rule(tmp_path / "rule.json")
    assert again == rule
    assert hash(again) == hash(rule)
    assert str(again) == str(rule)
    if len(rule.classes) == 2 and rule.scores == "posterior" and not rule.per_case:
        p = np.linspace(0.001, 0.999, 500)
        assert (again.positions(p) == rule.positions(p)).all()


@pytest.mark.parametrize("name", RULES)
def test_files_follow_the_published_schema(name, tmp_path):
    jsonschema = pytest.importorskip(
        "jsonschema", reason="needs a validator: pip install jsonschema"
    )
    checker = jsonschema.Draft202012Validator(rule_schema())
    checker.check_schema(rule_schema())
    RULES[name].save(tmp_path / "rule.json")
    checker.validate(json.loads((tmp_path / "rule.json").read_text()))


def test_a_name_that_is_said_twice_is_refused(tmp_path):
    path = tmp_path / "rule.json"
    DecisionRule(APP, columns="p").save(path)
    path.write_text(path.read_text().replace('"costs":', '"costs":[[0.0,9.0],[1.0,0.0]],"costs":'))
    with pytest.raises(FormatError, match=r"rule\.json was changed: it says 'costs' twice"):
        load_rule(path)


def test_the_schema_names_every_field():
    assert set(rule_schema()["properties"]) == {*RULES["plain"].record(), "format", "sha256"}
    assert set(rule_schema()["required"]) == set(rule_schema()["properties"])


def test_rules_differ_by_what_they_hold():
    assert RULES["plain"] != RULES["plain"].moved([0.5, 0.5])
    assert RULES["plain"] != "p > 0.0909"


def changed(tmp_path, *, resealed=True, **fields):
    """A file with other fields, under a checksum that holds or not."""
    content = {**RULES["plain"].record(), **fields}
    content = {key: value for key, value in content.items() if value is not ...}
    seal = checksum(content) if resealed else checksum(RULES["plain"].record())
    path = tmp_path / "rule.json"
    path.write_text(json.dumps({"format": "stakes-rule", "sha256": seal, **content}))
    return path


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"version": 2},
            "has version 2 of the format, from a newer stakes; this one reads version 1",
        ),
        ({"version": "1"}, "`version` must be a whole number"),
        ({"costs": [[0, 2], [10, 0]], "resealed": False}, "its checksum does not match"),
        ({"costs": [[0, 2], [10, 0]]}, "contradicts itself: cuts, rule cannot belong"),
        ({"cuts": [0.2]}, "contradicts itself: cuts cannot belong"),
        ({"ties": "later decision"}, "contradicts itself: ties"),
        ({"colour": "red"}, "contradicts itself: colour"),
        ({"classes": ["stay"]}, "does not hold a decision rule"),
        ({"costs": ...}, "does not hold a decision rule .KeyError: 'costs'"),
        ({"calibrator": {"kind": "affine"}}, "does not hold a decision rule"),
        ({"cut": [1]}, "does not hold a decision rule"),
    ],
)
def test_other_files_are_refused(fields, said, tmp_path):
    with pytest.raises(FormatError, match=said) as caught:
        load_rule(changed(tmp_path, **fields))
    assert caught.value.hint


def test_files_of_other_kinds_are_refused(tmp_path):
    fitted().save(tmp_path / "calibrator.json")
    with pytest.raises(FormatError, match="is a calibration, not a saved decision rule"):
        load_rule(tmp_path / "calibrator.json")
    RULES["plain"].save(tmp_path / "rule.json")
    whole = (tmp_path / "rule.json").read_bytes()
    (tmp_path / "rule.json").write_bytes(whole[:-40])
    with pytest.raises(FormatError, match="it was cut off"):
        stakes.load_rule(tmp_path / "rule.json")


def test_the_published_schema_is_that_of_the_package():
    published = Path(__file__).parents[2] / "docs" / "rule.schema.json"
    assert json.loads(published.read_text(encoding="utf-8")) == rule_schema()
