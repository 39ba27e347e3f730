"""Log an evaluation to MLflow: costs as metrics, the stakes as parameters, pages as artifacts.

The numbers can then be sorted and plotted in MLflow like any metric (lower is better), and the run
holds the page that explains them.

Needs: pip install 'stakes[sklearn]' mlflow
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import mlflow
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import stakes


def log_evaluation(evaluation) -> None:
    """Log everything an evaluation says to the run that is active."""
    application = evaluation.application
    mlflow.log_params({"costs": application.costs.values.tolist(), "unit": application.unit})
    for row in evaluation.frame().rows():
        name = row.pop("model")
        numbers = {f"{name}.{key}": value for key, value in row.items()}
        mlflow.log_metrics({key: v for key, v in numbers.items() if not math.isnan(v)})
    mlflow.set_tag("verdict", evaluation.verdict)
    mlflow.log_text(evaluation.to_json(), "evaluation.json")
    mlflow.log_text(evaluation.to_html(), "evaluation.html")


def main() -> dict[str, float]:
    X, y = make_classification(500, 5, weights=[0.8], random_state=0)
    models = {"logistic": LogisticRegression(), "forest": RandomForestClassifier(random_state=0)}
    posteriors = {
        name: cross_val_predict(model, X, y, method="predict_proba")
        for name, model in models.items()
    }
    application = stakes.Application([[0, 1], [5, 0]], unit="EUR")
    evaluation = stakes.evaluate(y, posteriors, application=application)
    with tempfile.TemporaryDirectory() as folder:
        mlflow.set_tracking_uri(f"sqlite:///{Path(folder) / 'runs.db'}")
        experiment = mlflow.create_experiment("costs", artifact_location=Path(folder).as_uri())
        with mlflow.start_run(experiment_id=experiment) as run:
            log_evaluation(evaluation)
        logged = mlflow.get_run(run.info.run_id).data.metrics["logistic.nec"]
        page = mlflow.artifacts.load_text(f"{run.info.artifact_uri}/evaluation.html")
    rows = {row["model"]: row for row in evaluation.frame().rows()}
    return {"nec": rows["logistic"]["nec"], "logged": logged, "page": len(page)}


if __name__ == "__main__":
    print(main())
