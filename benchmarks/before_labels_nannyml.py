"""CBPE's business value by NannyML itself, in its own environment; see before_labels.py."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path


def estimated(case: dict) -> float:
    import nannyml
    import pandas as pd

    size = len(case["costs"])
    names = [str(k) for k in range(size)]
    frames = []
    for scores, decisions, labels in (
        (case["p"], case["d"], case["y"]),
        (case["q"], case["e"], [0] * len(case["q"])),
    ):
        table = pd.DataFrame(scores, columns=[f"p_{n}" for n in names])
        two = size == 2
        table["decision"] = decisions if two else [str(d) for d in decisions]
        table["truth"] = labels if two else [str(y) for y in labels]
        frames.append(table)
    proba = "p_1" if size == 2 else {n: f"p_{n}" for n in names}
    found = nannyml.CBPE(
        metrics=["business_value"], y_pred_proba=proba, y_pred="decision", y_true="truth",
        problem_type="classification_binary" if size == 2 else "classification_multiclass",
        chunk_size=len(frames[1]), business_value_matrix=case["costs"],
    )  # fmt: skip
    found.fit(frames[0])
    table = found.estimate(frames[1].drop(columns="truth")).filter(period="analysis").to_df()
    return float(table[("business_value", "value")].iloc[0])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    cases = json.loads(Path(sys.argv[1]).read_text())
    print("\n" + json.dumps([estimated(case) for case in cases]))
