"""The bundled examples: where they are, and the seeded simulator that made them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes.exceptions import DataError
from stakes.typing import FloatArray

_SEED = 20250914
_CHURN_CASES = 5000
_CHURN_RATE = 0.08
_PETS = ("cat", "dog", "fox", "rabbit")
_PETS_CASES = 2000
_PETS_SHARES = (0.40, 0.35, 0.10, 0.15)
_MONTH_CASES = 1000
#: The number of each month, its days, and the share of customers who leave.
_MONTHS = {"may": (5, 31, _CHURN_RATE), "june": (6, 30, 0.12)}
_LOAN_CASES = 3000
_DEFAULT_RATE = 0.06


def churn_csv() -> str:
    r"""Customers who may leave, and three models of it.

    ``gbm_p`` separates best but is over-confident: its log odds are stretched by 2.2.
    ``logreg_p`` and ``rules_p`` are calibrated and cross: the former has the same spread in
    both classes, the latter a wider one for churners, so it is surer of the clear cases and
    blind to more of the hidden ones.

    Returns
    -------
    str
        CSV with the columns customer, churned, gbm_p, logreg_p, rules_p.

    Examples
    --------
    >>> print(churn_csv().splitlines()[0])
    customer,churned,gbm_p,logreg_p,rules_p
    """
    rng = np.random.default_rng([_SEED, 1])
    churned = rng.random(_CHURN_CASES) < _CHURN_RATE
    shared = rng.standard_normal(_CHURN_CASES)
    gbm = 2.2 * _log_odds(_seen(rng, churned, shared, 2.3, 1.0), 2.3, 1.0)
    logreg = _log_odds(_seen(rng, churned, shared, 1.55, 1.0), 1.55, 1.0)
    rules = _log_odds(_seen(rng, churned, shared, 1.6, 2.1), 1.6, 2.1)
    rules = np.round(rules / 0.5) * 0.5  # a score card has few levels
    numbers = (_probabilities(scores) for scores in (gbm, logreg, rules))
    names = np.where(churned, "yes", "no").tolist()
    return _csv(
        "customer,churned,gbm_p,logreg_p,rules_p", range(1, len(names) + 1), names, *numbers
    )


def month_csv(month: str) -> str:
    """Customers of one month, with their regions and the best of the three models.

    More of them leave in June than in May; who leaves in June is not known yet.

    Parameters
    ----------
    month : str
        ``may`` or ``june``.

    Returns
    -------
    str
        CSV with the columns customer, date, region, churned, gbm_p; in June `churned` is empty.

    Examples
    --------
    >>> month_csv("june").splitlines()[:2]
    ['customer,date,region,churned,gbm_p', '1,2025-06-01,south,,0.0003']
    """
    number, days, rate = _MONTHS[month]
    rng = np.random.default_rng([_SEED, 4, number])
    churned = rng.random(_MONTH_CASES) < rate
    regions = rng.choice(["north", "south", "west"], _MONTH_CASES, p=[0.4, 0.35, 0.25])
    seen = _seen(rng, churned, rng.standard_normal(_MONTH_CASES), 2.3, 1.0)
    scores = _probabilities(2.2 * _log_odds(seen, 2.3, 1.0))
    known = np.where(churned, "yes", "no") if month == "may" else np.full(_MONTH_CASES, "")
    numbers = range(1, _MONTH_CASES + 1)
    dates = [f"2025-{number:02d}-{1 + k * days // _MONTH_CASES:02d}" for k in range(_MONTH_CASES)]
    columns = (numbers, dates, regions.tolist(), known.tolist(), scores)
    return _csv("customer,date,region,churned,gbm_p", *columns)


def pets_csv() -> str:
    """Photographs of four kinds of animal, and two models of them.

    ``large`` sees more than ``small``; both are calibrated. Foxes are rare and, by the costs
    that come with the file, the costliest animal to mistake.

    Returns
    -------
    str
        CSV with the column species and one probability per model and animal, in
        thousandths that add to 1.

    Examples
    --------
    >>> print(pets_csv().splitlines()[0])
    species,small.p_cat,small.p_dog,small.p_fox,small.p_rabbit,large.p_cat,large.p_dog,large.p_fox,large.p_rabbit
    """
    rng = np.random.default_rng([_SEED, 2])
    truth = np.searchsorted(np.cumsum(_PETS_SHARES), rng.random(_PETS_CASES))
    parts = []
    for strength in (1.7, 2.6):
        seen = rng.standard_normal((_PETS_CASES, len(_PETS)))
        seen[np.arange(_PETS_CASES), truth] += strength
        scores = strength * seen + np.log(_PETS_SHARES)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        parts.append(_thousandths(shares / shares.sum(axis=1, keepdims=True)))
    names = [f"{model}.p_{pet}" for model in ("small", "large") for pet in _PETS]
    head, species = ",".join(["species", *names]), [_PETS[k] for k in truth]
    columns = (column for part in parts for column in zip(*part, strict=True))
    numbers = ([f"0.{n:03d}" if n < 1000 else "1" for n in column] for column in columns)
    return _csv(head, species, *numbers)


def pets_costs() -> str:
    """What mistakes about the pets cost, with "ask a person" as a fifth decision.

    Returns
    -------
    str
        TOML keyed by names.

    Examples
    --------
    >>> print(pets_costs().splitlines()[0])
    unit = "EUR"
    """
    mistakes = {"cat": 1, "dog": 1, "fox": 100, "rabbit": 4}
    lines = ['unit = "EUR"', f"outcomes = [{', '.join(f'{p!r}' for p in _PETS)}]".replace("'", '"')]
    decisions = ", ".join(f'"{name}"' for name in (*_PETS, "ask a person"))
    lines.append(f"decisions = [{decisions}]")
    for truth in _PETS:
        lines += ["", f"[cost.{truth}]"]
        for decision in _PETS:
            if decision != truth:
                lines.append(f"{decision} = {20 if decision == 'fox' else mistakes[truth]}")
        lines.append('"ask a person" = 2')
    return "\n".join(lines) + "\n"


def loans_csv() -> str:
    """Loans with their amounts, some of which are not paid back, and two models of it.

    Amounts have a long tail, and larger loans default a little more often.

    Returns
    -------
    str
        CSV with the columns loan, amount, default, bank_p, bureau_p.

    Examples
    --------
    >>> print(loans_csv().splitlines()[0])
    loan,amount,default,bank_p,bureau_p
    """
    rng = np.random.default_rng([_SEED, 3])
    default = rng.random(_LOAN_CASES) < _DEFAULT_RATE
    shared = rng.standard_normal(_LOAN_CASES)
    size = rng.standard_normal(_LOAN_CASES) + 0.2 * default
    amount = np.round(np.exp(8.5 + 0.9 * size) / 100) * 100 + 500
    prior = np.log(_DEFAULT_RATE / (1 - _DEFAULT_RATE))
    columns = []
    for strength in (1.9, 1.3):
        seen = _seen(rng, default, shared, strength, 1.0)
        columns.append(_probabilities(strength * (seen - strength / 2) + prior))
    truth, loans = default.astype(int).tolist(), range(1, _LOAN_CASES + 1)
    amounts = amount.astype(int).tolist()
    return _csv("loan,amount,default,bank_p,bureau_p", loans, amounts, truth, *columns)


def example_files() -> dict[str, str]:
    """Every bundled file by name, as the simulator makes it.

    Returns
    -------
    dict
        File name to content.

    Examples
    --------
    >>> sorted(example_files())
    ['churn.csv', 'june.csv', 'loans.csv', 'may.csv', 'pets-costs.toml', 'pets.csv']
    """
    return {
        "churn.csv": churn_csv(),
        "june.csv": month_csv("june"),
        "loans.csv": loans_csv(),
        "may.csv": month_csv("may"),
        "pets-costs.toml": pets_costs(),
        "pets.csv": pets_csv(),
    }


def _seen(
    rng: np.random.Generator,
    positive: NDArray[np.bool_],
    shared: FloatArray,
    mean: float,
    spread: float,
) -> FloatArray:
    """What a model sees: N(0, 1) for the others, N(mean, spread^2) for the positive cases."""
    noise = np.sqrt(0.5) * shared + np.sqrt(0.5) * rng.standard_normal(shared.size)
    return np.asarray(np.where(positive, mean + spread * noise, noise))


def _log_odds(seen: FloatArray, mean: float, spread: float) -> FloatArray:
    """Log odds of a churner after seeing it, by Bayes' theorem."""
    ratio = seen**2 / 2 - ((seen - mean) / spread) ** 2 / 2 - np.log(spread)
    return np.asarray(ratio + np.log(_CHURN_RATE / (1 - _CHURN_RATE)))


def _probabilities(log_odds: FloatArray) -> list[str]:
    """Log odds as probabilities, to four decimals."""
    return [f"{p:.4f}" for p in 1 / (1 + np.exp(-log_odds))]


def _csv(head: str, *columns: Iterable[Any]) -> str:
    """A table as text."""
    rows = (",".join(map(str, row)) for row in zip(*columns, strict=True))
    return "\n".join([head, *rows]) + "\n"


def _thousandths(shares: FloatArray) -> list[list[int]]:
    """Each row in whole thousandths that add to 1000, by largest remainders."""
    whole = np.floor(1000 * shares).astype(int)
    missing = 1000 - whole.sum(axis=1)
    order = np.argsort(-(1000 * shares - whole), axis=1, kind="stable")
    for i, count in enumerate(missing.tolist()):
        whole[i, order[i, :count]] += 1
    rows: list[list[int]] = whole.tolist()
    return rows


_FOLDER = Path(__file__).parent / "data"


def example_path(name: str) -> Path:
    """The path of a bundled example file.

    Parameters
    ----------
    name : str
        ``churn.csv``, ``may.csv``, ``june.csv``, ``pets.csv``, ``pets-costs.toml`` or
        ``loans.csv``.

    Returns
    -------
    pathlib.Path
        A file that exists.

    Examples
    --------
    >>> example_path("churn.csv").name
    'churn.csv'
    """
    path = _FOLDER / name
    if Path(name).name != name or not path.is_file():
        known = ", ".join(sorted(each.name for each in _FOLDER.iterdir()))
        raise DataError(f"there is no example {name!r}.", hint=f"there are {known}")
    return path
