"""Costs inside MLflow: an evaluator for ``mlflow.models.evaluate(..., evaluators="stakes")``.

Needs the extra `mlflow`. MLflow finds it by the entry point ``mlflow.model_evaluator``.
"""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from stakes._optional import load as _load
from stakes.evaluation import Evaluation, evaluate
from stakes.exceptions import CostError, DataError

_load("mlflow.models", extra="mlflow")

from mlflow import MlflowClient
from mlflow.models.evaluation import EvaluationResult, ModelEvaluator
from mlflow.models.evaluation.artifacts import JsonEvaluationArtifact, TextEvaluationArtifact

__all__ = ["CostEvaluator", "log_evaluation"]


class CostEvaluator(ModelEvaluator):
    """Judge a model in MLflow by what its decisions cost; see `log_evaluation` for what is kept.

    The data are those of ``mlflow.models.evaluate``: a model, or a column of predictions. Numbers
    with a decimal point are probabilities (of the positive class, or a list with one for each
    class), whole numbers and names are decisions. `evaluator_config` holds what
    `stakes.evaluate` is told: ``{"costs": {"fn": 10, "fp": 1}, "unit": "EUR", ...}``.

    Examples
    --------
    >>> CostEvaluator.can_evaluate(model_type="regressor", evaluator_config={})
    False
    """

    @classmethod
    def can_evaluate(cls, *, model_type: Any, evaluator_config: Any, **kwargs: Any) -> bool:
        """Whether this is a classifier, or a model of no kind."""
        return model_type in (None, "classifier")

    def evaluate(
        self,
        *,
        model_type: Any,
        dataset: Any,
        run_id: str,
        evaluator_config: Any,
        model: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Evaluate, log to the run, and hand the metrics to MLflow."""
        options = dict(evaluator_config or {})
        if not {"costs", "application"} & set(options):
            raise CostError(
                "the evaluator `stakes` must be told what errors cost.",
                hint='evaluator_config={"costs": {"fn": 10, "fp": 1}}',
            )
        if model is None and dataset.predictions_data is None:
            raise DataError(
                "there is neither a model nor a column of predictions.", hint='predictions="p"'
            )
        said = dataset.predictions_data if model is None else model.predict(dataset.features_data)
        name = str(options.pop("name", "model"))
        found = evaluate(dataset.labels_data, {name: _said(said)}, **options)
        metrics, artifacts = _logged(found, MlflowClient(), run_id, {name: ""})
        return EvaluationResult(metrics=metrics, artifacts=artifacts)


def log_evaluation(evaluation: Evaluation, *, run_id: str | None = None) -> dict[str, float]:
    """Log an evaluation to a run of MLflow: metrics with intervals, verdict, page, record, rule.

    Parameters
    ----------
    evaluation : Evaluation
        What `stakes.evaluate` or `stakes eval` found.
    run_id : str, optional
        The run; the active one if absent.

    Returns
    -------
    dict
        The metrics: of each model ``<model>.cost``, ``.nec``, ``.nec_low``, ``.nec_high``,
        ``.saving``, ``.recalibrated_nec``; lower is better, except for the saving. Artifacts are
        ``stakes/evaluation.html``, ``evaluation.json`` and, where the verdict deploys a model by
        its scores, ``rule.json``.

    Examples
    --------
    >>> from stakes import evaluate
    >>> p = [0.1] * 45 + [0.9] * 15
    >>> ev = evaluate([0] * 40 + [1] * 20, {"gbm": p}, costs={"fn": 3, "fp": 1})
    >>> log_evaluation(ev)
    Traceback (most recent call last):
    stakes.exceptions.DataError: no run of MLflow is active...
    """
    import mlflow

    if not isinstance(evaluation, Evaluation):
        raise DataError(f"`evaluation` must be an Evaluation; got {type(evaluation).__name__}.")
    active = mlflow.active_run()
    if run_id is None and active is None:
        raise DataError("no run of MLflow is active.", hint="with mlflow.start_run(): ...")
    run = run_id or active.info.run_id
    return _logged(evaluation, MlflowClient(), run, {name: f"{name}." for name in evaluation})[0]


def _said(values: Any) -> Any:
    """Predictions as an array: lists of probabilities become columns."""
    array = np.asarray(values)
    lists = array.dtype == object and len(array) and isinstance(array.flat[0], (list, np.ndarray))
    return np.array([list(row) for row in array.ravel()]) if lists else array


def _logged(
    ev: Evaluation, client: Any, run: str, prefixes: dict[str, str]
) -> tuple[dict[str, float], dict[str, Any]]:
    """What was logged: metrics, and artifacts by name."""
    metrics: dict[str, float] = {}
    for model in ev.models:
        figures = {"cost": model.cost, "nec": model.nec, "saving": model.saving}
        if model.recalibrated_nec is not None:
            figures["recalibrated_nec"] = model.recalibrated_nec
        if model.interval is not None:
            figures["nec_low"], figures["nec_high"] = model.interval
        known = {key: value for key, value in figures.items() if not math.isnan(value)}
        metrics |= {f"{prefixes[model.name]}{key}": float(value) for key, value in known.items()}
    for key, value in metrics.items():
        client.log_metric(run, key, value)
    client.set_tag(run, "stakes.verdict", ev.verdict)
    root, artifacts = client.get_run(run).info.artifact_uri, {}
    with TemporaryDirectory() as folder:
        files = [ev.to_html(f"{folder}/evaluation.html"), ev.to_json(f"{folder}/evaluation.json")]
        with suppress(DataError):  # the verdict deploys none, or one that gave decisions
            ev.rule().save(f"{folder}/rule.json")
            files.append(Path(folder, "rule.json"))
        for file in files:
            client.log_artifact(run, str(file), "stakes")
            kind = TextEvaluationArtifact if file.suffix == ".html" else JsonEvaluationArtifact
            artifacts[file.name] = kind(uri=f"{root}/stakes/{file.name}")
    return metrics, artifacts
