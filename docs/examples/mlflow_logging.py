"""Log what a model costs to MLflow: numbers as metrics, costs as parameters, counts as an artifact.

Needs: pip install 'stakes[sklearn]' mlflow
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import mlflow
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import stakes


def log_costs(y_true, posteriors, application: stakes.Application, name: str) -> float:
    """Log one model's costs under `name`; returns the normalised cost."""
    decisions = stakes.bayes_decisions(posteriors, application)
    counts = stakes.ConfusionMatrix.from_decisions(
        y_true, decisions, classes=application.classes, decision_names=application.decisions
    )
    nec = stakes.normalized_expected_cost(counts, application=application)
    mlflow.log_params({"costs": application.costs.values.tolist(), "unit": application.unit})
    mlflow.log_metrics(
        {f"{name}.cost": stakes.expected_cost(counts, application=application), f"{name}.nec": nec}
    )
    mlflow.log_text(f"{counts}\n\n{application.describe()}\n", f"{name}.txt")
    return nec


def main() -> dict[str, float]:
    X, y = make_classification(500, 5, weights=[0.8], random_state=0)
    application = stakes.Application([[0, 1], [5, 0]], unit="EUR")
    posteriors = cross_val_predict(LogisticRegression(), X, y, method="predict_proba")
    with tempfile.TemporaryDirectory() as folder:
        mlflow.set_tracking_uri(f"sqlite:///{Path(folder) / 'runs.db'}")
        experiment = mlflow.create_experiment("costs", artifact_location=Path(folder).as_uri())
        with mlflow.start_run(experiment_id=experiment) as run:
            nec = log_costs(y, posteriors, application, "logistic")
        logged = mlflow.get_run(run.info.run_id).data.metrics["logistic.nec"]
    return {"nec": nec, "logged": logged}


if __name__ == "__main__":
    print(main())
