"""The files that the recorded commands read: the three examples, parts of them, and odd ones."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stakes.demonstration import example_files

TRIALS = [
    (f"s{k % 7}", f"u{k}", k % 3 == 0, 2.0 * (k % 3 == 0) - 1.0 + math.sin(1.7 * k))
    for k in range(60)
]
ARFF = """% predictions
@relation predictions
@attribute row_id numeric
@attribute confidence.no numeric
@attribute confidence.yes numeric
@attribute prediction {no,yes}
@attribute correct {no,yes}
@data
"""


def write(folder: Path) -> None:
    """Write every input into a folder; the same bytes each time."""
    examples = example_files()
    files: dict[str, str | bytes] = {**examples, **_costs(), **_confusions(), **_lists()}
    churn = _rows(examples["churn.csv"])[:600]
    files["small.csv"] = _csv(_extended(churn))
    files["small.csv.gz"] = gzip.compress(files["small.csv"].encode(), mtime=0)
    files["semicolons.csv"] = files["small.csv"].replace(",", ";").replace(".", ",")
    files["regions.csv"] = _csv({"customer": row["customer"], "kind": "ab"[k % 2]}
                                for k, row in enumerate(churn[::-1]))  # fmt: skip
    files["few-pets.csv"] = _csv(_rows(examples["pets.csv"])[:500])
    files["few-loans.csv"] = _csv(_rows(examples["loans.csv"])[:600])
    files |= _odd(churn)
    files["predictions.arff"] = ARFF + "".join(
        f"{k},{1 - float(row['gbm_p']):.4f},{row['gbm_p']},no,{row['churned']}\n"
        for k, row in enumerate(churn)
    )
    files["long.csv"] = _csv(
        {"model": model, "id": row["customer"], "y": row["churned"], "p_no": f"{1 - p:.4f}",
         "p_yes": f"{p:.4f}"}
        for model in ("gbm", "logreg") for row in churn for p in [float(row[f"{model}_p"])]
    )  # fmt: skip
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
    _write_lake(folder / "lake", _extended(churn))
    _write_arrays(folder, churn)


def _extended(churn: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Rows with all that options speak of: parts, groups, weights, dates, other scales."""
    rows = []
    for k, row in enumerate(churn):
        p = min(max(float(row["gbm_p"]), 1e-4), 1 - 1e-4)
        log_odds = math.log(p / (1 - p))
        rows.append(
            {
                **row,
                "region": ("north", "south", "east")[k % 3],
                "household": f"h{k // 3}",
                "weight": ("1", "2.5")[k % 2],
                "day": f"2026-0{1 + k // 150}-{1 + k % 28:02}",
                "gbm_logit": f"{log_odds:.4f}",
                "gbm_llr": f"{log_odds + 2.5:.4f}",
                "points": str(round(100 * p**0.5)),
                "says": "yes" if p > 0.1 else "no",
                "rule": "yes" if float(row["rules_p"]) > 0.2 else "no",
                "amount": str(100 + 37 * (k % 19)),
            }
        )
    return rows


def _odd(churn: Sequence[dict[str, str]]) -> dict[str, str | bytes]:
    """Inputs that call for a note, a warning or a refusal."""
    few = [{"y": row["churned"], "p": row["gbm_p"], "q": row["logreg_p"]} for row in churn[:200]]

    def changed(**cells: Any) -> str:
        return _csv(
            {**row, **{k: f(i, row) for k, f in cells.items()}} for i, row in enumerate(few)
        )

    return {
        "missing.csv": changed(p=lambda i, row: "" if i % 40 == 3 else row["p"]),
        "unlabelled.csv": changed(y=lambda i, row: "" if i == 17 else row["y"]),
        "impossible.csv": changed(p=lambda i, row: "0" if row["y"] == "yes" else row["p"]),
        "one-class.csv": changed(y=lambda i, row: "no"),
        "three-labels.csv": changed(y=lambda i, row: "maybe" if i == 5 else row["y"]),
        "ties.csv": changed(p=lambda i, row: f"{round(float(row['p']) * 2) / 2}"),
        "constant.csv": changed(p=lambda i, row: "0.3"),
        "wrong-way.csv": changed(p=lambda i, row: f"{1 - float(row['p']):.4f}"),
        "text-scores.csv": changed(p=lambda i, row: "high" if i == 9 else row["p"]),
        "too-large.csv": changed(p=lambda i, row: "1.5" if i == 9 else row["p"]),
        "few-positives.csv": _csv(few[:60]),
        "spaces.csv": changed(y=lambda i, row: " will leave " if row["y"] == "yes" else "stays on"),
        "numbers.csv": changed(y=lambda i, row: "1.0" if row["y"] == "yes" else "0"),
        "same-name.csv": "y,p,p\n" + "no,0.1,0.2\nyes,0.8,0.7\n" * 20,
        "ragged.csv": "y,p\nno,0.1\nyes,0.8,0.3\nno\n",
        "header-only.csv": "y,p\n",
        "empty.csv": "",
        "pickle.pkl": b"\x80\x04N.",
    }


def _costs() -> dict[str, str]:
    two = 'outcomes = ["no", "yes"]\n'
    return {
        "costs.toml": f"{two}[cost.yes]\nno = 40\n[cost.no]\nyes = 4\n",
        "costs.csv": "truth,no,yes\nno,0,4\nyes,40,0\n",
        "ranges.toml": f"{two}[cost.yes]\nno = [20, 60]\n[cost.no]\nyes = 4\n",
        "ask.toml": f'{two}decisions = ["no", "yes", "ask"]\n'
        "[cost.yes]\nno = 40\nask = 2\n[cost.no]\nyes = 4\nask = 2\n",
        "sideways.csv": "no,yes\n0,4\n40,0\n",
        "other-outcomes.toml": 'outcomes = ["no", "ill"]\n[cost.ill]\nno = 40\n',
        "no-outcomes.toml": "[cost.yes]\nno = 40\n",
    }


def _confusions() -> dict[str, str]:
    tables = {"no": {"no": 450, "yes": 50}, "yes": {"no": 20, "yes": 80}}
    return {
        "a.csv": "truth,no,yes\nno,450,50\nyes,20,80\n",
        "b.csv": "decision,no,yes\nno,480,45\nyes,20,55\n",
        "c.json": json.dumps({"truth": tables}),
        "sideless.csv": ",no,yes\nno,450,50\nyes,20,80\n",
        "negative.csv": "truth,no,yes\nno,450,-1\nyes,20,80\n",
    }


def _lists() -> dict[str, str]:
    kinds = {True: "target", False: "nontarget"}
    return {
        "trials.txt": "".join(f"{s} {u} {kinds[t]}\n" for s, u, t, _ in TRIALS),
        "system-a.txt": "".join(f"{s} {u} {x:.4f}\n" for s, u, _, x in TRIALS[::-1]),
        "system-b.txt": "".join(f"{s} {u} {0.5 * x:.4f}\n" for s, u, _, x in TRIALS),
        "side-by-side.txt": "".join(f"{x:.4f} {kinds[t]}\n" for _, _, t, x in TRIALS),
        "too-few.txt": "".join(f"{s} {u} {x:.4f}\n" for s, u, _, x in TRIALS[:50]),
    }


def _write_lake(lake: Path, rows: Sequence[dict[str, str]]) -> None:
    """The small file in folders by region, as text and as Parquet."""
    import pyarrow.csv
    import pyarrow.parquet

    for region in ("north", "south", "east"):
        part = [row for row in rows if row["region"] == region]
        part = [{k: v for k, v in row.items() if k != "region"} for row in part]
        folder = lake / f"region={region}"
        folder.mkdir(parents=True)
        (folder / "part.csv").write_text(_csv(part), encoding="utf-8")
        table = pyarrow.csv.read_csv(folder / "part.csv")
        pyarrow.parquet.write_table(table, folder / "part.parquet")


def _write_arrays(folder: Path, churn: Sequence[dict[str, str]]) -> None:
    """The same scores as arrays, in each form that is read."""
    import h5py

    y = np.array([row["churned"] == "yes" for row in churn], dtype=np.int64)
    p = np.array([float(row["gbm_p"]) for row in churn])
    np.save(folder / "targets.npy", y)
    np.save(folder / "scores.npy", np.column_stack([1 - p, p]))
    np.savez(folder / "both.npz", y=y, p=p)
    models, recordings = ["s1", "s2", "s3"], ["u1", "u2", "u3", "u4"]
    key = np.array([[1, -1, 0, -1], [-1, 1, -1, 0], [0, -1, 1, -1]], dtype=np.int8)
    scores = np.array([[2.0, -1, 9, -3], [0.9, 0.2, -2, 9], [9, -1, 3, -4]])
    for name, array in {"trial_mask": key, "scores": scores}.items():
        with h5py.File(folder / f"{name}.h5", "w") as file:
            file[name], file["ID/row_ids"], file["ID/column_ids"] = array, models, recordings


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def _csv(rows: Iterable[dict[str, str]]) -> str:
    rows = list(rows)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
