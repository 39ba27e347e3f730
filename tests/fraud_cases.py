"""Cases whose classes are named in another order than the sorted one, and what they cost."""

from __future__ import annotations

import numpy as np

from stakes import CostMatrix

NAMES = ("Legit", "Fraud")  # as in many a costs file; sorted, they stand the other way round
COSTS = CostMatrix([[0, 1], [20, 0]], classes=NAMES, decisions=("pass", "block"))
N = 600
_RNG = np.random.default_rng(0)
CODES = (_RNG.random(N) < 0.2).astype(int)
Y = np.array(NAMES)[CODES]
LOGITS = _RNG.normal(3.0 * CODES - 3.0, 1.5)
FRAUD = 1 / (1 + np.exp(-LOGITS))
SORTED = np.column_stack([FRAUD, 1 - FRAUD])  # as scikit-learn gives them: Fraud, Legit
RIGHT = np.where(FRAUD > 1 / 21, 1, 0)


def cost(decisions: np.ndarray) -> float:
    """By hand: 1 for a false alarm, 20 for a miss."""
    return float(np.where(CODES == 1, 20 * (decisions == 0), decisions == 1).mean())
