"""A smooth Bayes rule: soft decisions that become the hard ones as the temperature falls."""

from __future__ import annotations

from typing import Any, Literal

import torch

from stakes.exceptions import CostError, DataError

Scale = Literal["log", "linear"]


def expected_costs(log_posteriors: Any, costs: Any, *, log: bool) -> Any:
    """Expected cost of each decision, or its logarithm, (n, M).

    `costs` is (K, M) or (n, K, M), not negative. In logarithms a cost of 0 counts as the smallest
    positive float, so that gradients stay finite where a decision surely costs nothing.
    """
    if not log:
        posteriors = log_posteriors.exp()
        if costs.ndim == 2:
            return posteriors @ costs
        return torch.einsum("nk,nkm->nm", posteriors, costs)
    table = costs if costs.ndim == 3 else costs[None]
    logs = table.clamp_min(torch.finfo(table.dtype).tiny).log()
    return torch.logsumexp(log_posteriors[:, :, None] + logs, dim=1)


def soft_decisions(
    logits: Any,
    costs: Any,
    *,
    temperature: float | Any = 1.0,
    scale: Scale = "log",
    straight_through: bool = False,
    offsets: Any = None,
) -> Any:
    r"""Probability of taking each decision under a smooth version of the Bayes rule.

    The hard rule takes the decision of least expected cost; here each is taken with a probability
    that falls with its expected cost, so that gradients exist. As the temperature falls to 0 it
    becomes the hard rule.

    .. math:: w_j(x) \propto \bar e_j(x)^{-1/T} \ \text{("log")} \quad\text{or}\quad
              w_j(x) \propto \exp(-\bar e_j(x)/T) \ \text{("linear")},\qquad
              \bar e_j(x) = \sum_i \bar c_{ij} P(H_i|x)

    Parameters
    ----------
    logits : Tensor of shape (n_cases, n_classes)
        Scores before the softmax.
    costs : Tensor of shape (n_classes, n_decisions) or (n_cases, n_classes, n_decisions)
        Costs; each row is taken above its minimum.
    temperature : float or Tensor
        Above 0, which is checked for a float. Without unit for "log", in the unit of the costs for
        "linear".
    scale : {"log", "linear"}
        Compare logarithms of expected costs, or expected costs.
    straight_through : bool
        The value is that of the hard rule, the gradient that of the smooth one.
    offsets : Tensor of shape (n_decisions,), optional
        Added to what is compared, such as learnable thresholds.

    Returns
    -------
    Tensor of shape (n_cases, n_decisions)
        Rows add to 1.

    Notes
    -----
    With two classes and two decisions "log" is a sigmoid of the log odds around the Bayes
    threshold (`ferrer2025` eq 29), ``sigmoid((log odds - threshold) / T)``, and "linear" a sigmoid
    of the posterior around eq 28: the binary relaxation of eqs 10-11.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 2.5.

    Examples
    --------
    >>> logits = torch.tensor([[0.0, 0.0]])
    >>> soft_decisions(logits, torch.tensor([[0.0, 1.0], [3.0, 0.0]]))
    tensor([[0.2500, 0.7500]])
    """
    learnt = isinstance(temperature, torch.Tensor)
    if not (learnt or temperature > 0):
        raise DataError(f"`temperature` must be positive; got {temperature:g}.")
    above = costs - costs.amin(dim=-1, keepdim=True)
    heights = expected_costs(logits.log_softmax(dim=1), above, log=scale == "log")
    if offsets is not None:
        heights = heights + offsets
    soft = (-heights / temperature).softmax(dim=1)
    if not straight_through:
        return soft
    hard = torch.nn.functional.one_hot(heights.argmin(dim=1), heights.shape[1]).to(soft.dtype)
    return hard + soft - soft.detach()


def annealed_temperature(step: int, steps: int, *, start: float = 1.0, stop: float = 0.05) -> float:
    """Temperature that falls geometrically from `start` at step 0 to `stop` at the last step.

    Begin smooth, so that far cases have a say; end sharp, so that the cost is the real one.

    Parameters
    ----------
    step, steps : int
        Where training is, and how long it is.
    start, stop : float
        First and last temperature, above 0.

    Returns
    -------
    float
        Set it with ``loss.temperature = ...``.

    Examples
    --------
    >>> [round(annealed_temperature(k, 3, start=1.0, stop=0.01), 3) for k in range(3)]
    [1.0, 0.1, 0.01]
    """
    if not (start > 0 and stop > 0):
        raise CostError(f"temperatures must be positive; got {start:g} and {stop:g}.")
    share = min(max(step / max(steps - 1, 1), 0.0), 1.0)
    return float(start * (stop / start) ** share)
