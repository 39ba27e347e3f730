"""The recipes of docs/integrations.md run, each where its library is installed."""

from __future__ import annotations

import json
import re
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stakes

PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"
FIRST, *REST = re.split(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
SECTIONS = dict(zip(REST[::2], REST[1::2], strict=True))


def blocks(section: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


def recipe(name: str, *modules: str) -> dict[str, Any]:
    """What a recipe leaves behind, run after the data that all share."""
    for module in ("sklearn", *modules):
        pytest.importorskip(module, reason=f"the recipe needs {module}: pip install {module}")
    names: dict[str, Any] = {}
    for code in (*blocks(FIRST), *blocks(SECTIONS[name])):
        exec(compile(code, f"{PAGE.name}: {name}", "exec"), names)
    return names


def cost_of(found: dict[str, Any]) -> float:
    p = found["model"].predict_proba(found["X_new"])
    ev = stakes.evaluate(found["y_new"], p, costs=found["costs"], recalibrate=False)
    return ev["model"].cost


def test_a_test_suite():
    found = recipe("In a test suite")
    found["test_the_model_is_good_enough"]()
    found["test_the_new_model_pays_for_the_switch"]()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["LightGBM", "XGBoost", "CatBoost"])
def test_boosting_stops_at_the_cheapest_number_of_trees(name):
    found = recipe(name, name.lower())
    assert found["best"] == pytest.approx(cost_of(found), abs=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["LightGBM", "XGBoost", "CatBoost"])
def test_boosting_with_more_classes_and_a_person_to_ask(name):
    library = pytest.importorskip(name.lower(), reason=f"needs {name}: pip install {name.lower()}")
    from sklearn.datasets import make_classification

    from stakes.integrations import boosting

    X, y = make_classification(900, 6, n_classes=3, n_informative=4, random_state=1)
    matrix = stakes.CostMatrix([[0, 1, 5], [2, 0, 1], [9, 3, 0]]).with_abstention(0.5)
    metric = getattr(boosting, f"{name}Cost")(matrix)
    new, few = (X[600:], y[600:]), {"n_estimators": 10}
    if name == "LightGBM":
        model = library.LGBMClassifier(**few, metric="None", verbose=-1, n_jobs=1)
        model.fit(X[:600], y[:600], eval_set=[new], eval_metric=metric)
        last = model.evals_result_["valid_0"]["cost"][-1]
    elif name == "XGBoost":
        model = library.XGBClassifier(**few, eval_metric=metric, n_jobs=1)
        model.fit(X[:600], y[:600], eval_set=[new], verbose=False)
        last = model.evals_result()["validation_0"]["cost"][-1]
    else:
        model = library.CatBoostClassifier(**few, eval_metric=metric, loss_function="MultiClass",
                                           use_best_model=False, verbose=0, thread_count=1,
                                           allow_writing_files=False)  # fmt: skip
        model.fit(X[:600], y[:600], eval_set=new)
        last = model.get_evals_result()["validation"]["CatBoostCost"][-1]
    ev = stakes.evaluate(new[1], model.predict_proba(new[0]), costs=matrix, recalibrate=False)
    assert last == pytest.approx(ev["model"].cost, abs=1e-6)


@pytest.fixture
def store(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="needs MLflow: pip install 'stakes[mlflow]'")
    pytest.importorskip("sqlalchemy", reason="a local store needs pip install sqlalchemy alembic")
    if "stakes" not in entry_points(group="mlflow.model_evaluator").names:
        pytest.skip("the entry point is not installed: pip install -e .")
    monkeypatch.chdir(tmp_path)
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    mlflow.set_experiment("costs")
    yield mlflow
    mlflow.set_tracking_uri(before)


@pytest.mark.filterwarnings("ignore")
class TestMLflow:
    def test_the_recipe(self, store):
        found = recipe("MLflow", "pandas")
        kept = store.get_run(found["run"].info.run_id).data
        ev = stakes.evaluate(found["y_new"], found["scores"], costs=found["costs"], unit="EUR")
        model = ev["model"]
        wanted = {"cost": model.cost, "nec": model.nec, "nec_low": model.interval[0],
                  "nec_high": model.interval[1], "saving": model.saving,
                  "recalibrated_nec": model.recalibrated_nec}  # fmt: skip
        assert kept.metrics == pytest.approx(wanted)
        assert kept.tags["stakes.verdict"] == ev.verdict
        assert "<html" in found["result"].artifacts["evaluation.html"].content
        Path("rule.json").write_text(json.dumps(found["rule"]))
        rule = stakes.load_rule("rule.json")
        decided = rule.positions(found["scores"])
        assert (decided == (found["scores"] > 1 / 11)).all()

    def test_a_gate_that_fails(self, store):
        from mlflow.models import MetricThreshold
        from mlflow.models.evaluation.validation import ModelValidationFailedException

        found = recipe("MLflow", "pandas")
        strict = {"nec": MetricThreshold(threshold=1e-6, greater_is_better=False)}
        with pytest.raises(ModelValidationFailedException):
            store.validate_evaluation_results(strict, found["result"])

    def test_a_function_that_decides_several_classes(self, store):
        import pandas as pd

        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 300)
        said = np.where(rng.random(300) < 0.8, y, 0)
        frame = pd.DataFrame({"x": said, "y": y})
        config = {"costs": [[0, 1, 5], [2, 0, 1], [9, 3, 0]], "name": "gbm"}
        with store.start_run():
            result = store.models.evaluate(
                lambda rows: rows["x"].to_numpy(), frame, targets="y", evaluators="stakes",
                evaluator_config=config, model_type="classifier",
            )  # fmt: skip
        costs = np.array(config["costs"])
        assert result.metrics["cost"] == pytest.approx(costs[y, said].mean())

    def test_several_models_that_were_judged(self, store):
        from stakes.integrations.mlflow import log_evaluation

        y, p = np.repeat([0, 1], [60, 40]), np.linspace(0.05, 0.95, 100)
        ev = stakes.evaluate(y, {"a": p, "b": 1 - p}, costs={"fn": 3, "fp": 1})
        with store.start_run() as run:
            logged = log_evaluation(ev)
        assert logged["a.cost"] == ev["a"].cost
        assert store.get_run(run.info.run_id).data.metrics == pytest.approx(logged)

    def test_costs_must_be_told(self, store):
        import pandas as pd

        frame = pd.DataFrame({"y": [0, 1], "p": [0.1, 0.9]})
        with store.start_run(), pytest.raises(stakes.exceptions.CostError, match="cost"):
            store.models.evaluate(
                data=frame, targets="y", predictions="p", evaluators="stakes",
                model_type="classifier",
            )  # fmt: skip


def test_onnx(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = recipe("ONNX", "onnx", "onnxruntime", "skl2onnx")
    rule = found["ev"].rule("logreg", recalibrated=True)
    p = found["model"].predict_proba(found["X_new"])
    cut = rule.raw_cuts("float32")[0][0]
    sure = np.abs(p[:, 1] - cut) > 1e-5  # the runtime rounds probabilities otherwise
    assert sure.mean() > 0.99
    assert (found["decision"] == rule.positions(p))[sure].all()
    assert 0 < found["decision"].mean() < 1
    assert found["expected"].shape == (len(p), 2)


def test_skops():
    found = recipe("skops", "skops")
    again, model, X = found["again"], found["model"], found["X_new"]
    assert (again.predict(X) == model.predict(X)).all()
    assert again.predict(X).std() > 0


def test_a_service_and_its_client(tmp_path, monkeypatch, capsys):
    pytest.importorskip("fastapi", reason="needs FastAPI: pip install fastapi")
    httpx = pytest.importorskip("httpx", reason="needs httpx: pip install httpx")
    from fastapi.testclient import TestClient

    monkeypatch.chdir(tmp_path)
    costs = stakes.CostMatrix([[0, 1], [10, 0]], classes=["stay", "churn"])
    stakes.DecisionRule(stakes.Application(costs), model="gbm").save("rule.json")
    service, client = blocks(SECTIONS["A service"])
    assert len(service.splitlines()) <= 20
    names: dict[str, Any] = {}
    exec(service, names)
    tried = TestClient(names["app"])
    monkeypatch.setattr(httpx, "post", lambda url, **said: tried.post(url.split("8000")[1], **said))
    exec(client, {})
    assert capsys.readouterr().out == "['stay', 'churn']\n"
    refused = tried.post("/decide", json=[0.5, 1.5])
    assert refused.status_code == 422
    assert "1.5" in refused.text
