"""Losses that know the costs: differentiable expected costs, and usual losses reweighted."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import torch
from torch import nn

from stakes._checks import as_number, as_priors, as_switch
from stakes._guesses import answers_guesses
from stakes._names import one_of
from stakes.application import Application, as_application, class_factors
from stakes.exceptions import CostError, DataError
from stakes.integrations.torch.tensors import (
    as_codes,
    of_tensor,
    refuse_bad_scores,
    refuse_other_length,
)
from stakes.typing import Priors

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


@answers_guesses
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
    one_of(scale, "scale", ("log", "linear"))
    if not isinstance(temperature, torch.Tensor):
        temperature = checked_temperature(temperature)
    if of_tensor(costs, "costs").ndim not in (2, 3):
        raise CostError(f"`costs` must have two or three dimensions; got {tuple(costs.shape)}.")
    refuse_bad_scores(logits, costs.shape[-2])
    above = costs - costs.amin(dim=-1, keepdim=True)
    heights = expected_costs(logits.log_softmax(dim=1), above, log=scale == "log")
    if offsets is not None:
        heights = heights + of_tensor(offsets, "offsets")
    soft = (-heights / temperature).softmax(dim=1)
    if not straight_through:
        return soft
    hard = torch.nn.functional.one_hot(heights.argmin(dim=1), heights.shape[1]).to(soft.dtype)
    return hard + soft - soft.detach()


def checked_temperature(value: Any, name: str = "temperature") -> float:
    """A positive number."""
    number = as_number(value, name)
    if not 0 < number < np.inf:
        raise DataError(f"`{name}` must be positive; got {number:g}.")
    return number


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
    first, last = checked_temperature(start, "start"), checked_temperature(stop, "stop")
    share = as_number(step, "step") / max(as_number(steps, "steps") - 1, 1)
    return float(first * (last / first) ** min(max(share, 0.0), 1.0))


class _CostLoss(nn.Module):
    """What both losses share: an application whose costs and priors follow the module's device."""

    def __init__(self, application: Any, from_priors: Priors | None) -> None:
        super().__init__()
        app: Application = as_application(application)
        self.application = app
        self.register_buffer("costs", torch.tensor(app.costs.values, dtype=torch.float32))
        for name, shares in (("priors", app.priors), ("from_priors", from_priors)):
            kept = None if shares is None else as_priors(shares, app.classes, name=name)
            made = None if kept is None else torch.tensor(np.array(kept), dtype=torch.float32)
            self.register_buffer(name, made)
        if self.from_priors is not None and bool((self.from_priors == 0).any()):
            raise DataError("`from_priors` must be positive.")

    def _average(self, values: Any, target: Any, sample_weight: Any) -> Any:
        """Average of per-case values under the priors of the application.

        Without priors the mean. With priors and the class shares of the training data, the mean of
        importance-weighted values, unbiased in every batch; weights of the cases are divided by
        their sum in both. With priors alone, the class means of this very batch weighted by the
        priors, which needs a case of each class.
        """
        weights = torch.ones_like(values)
        if sample_weight is not None:
            refuse_other_length(sample_weight, len(values))
            weights = sample_weight.to(values.dtype)
        if self.priors is None:
            return (weights * values).sum() / weights.sum()
        shares = self.priors.to(values)
        if self.from_priors is not None:
            factors = (shares / self.from_priors.to(values)).index_select(0, target)
            return (weights * factors * values).sum() / weights.sum()
        zeros = torch.zeros_like(shares)
        totals = zeros.index_add(0, target, weights)
        absent = (totals == 0) & (shares > 0)
        if bool(absent.any()):
            raise DataError(
                f"class {int(torch.nonzero(absent)[0])} has a prior but no case in this batch.",
                hint="give from_priors=[...], the class shares of the training data",
            )
        sums = zeros.index_add(0, target, weights * values)
        return (shares * sums / totals.clamp_min(torch.finfo(values.dtype).tiny)).sum()


# Why it works on logarithms: docs/design/pytorch.md.
class ExpectedCostLoss(_CostLoss):
    r"""Differentiable expected cost of Bayes decisions: any classes, any decisions.

    Train with it when the model cannot represent the true posteriors and only some costs matter;
    lower is better. Start from a model trained by cross-entropy, and let the temperature fall.

    .. math:: \sum_i P_i \frac1{N_i} \sum_{n: y_n = i} \sum_j w_j(x_n)\, c_{ij}

    Parameters
    ----------
    application : Application or CostMatrix
        Costs and priors; without priors, those of the data.
    temperature : float
        See `soft_decisions`; may be set anew at any time (`annealed_temperature`).
    scale : {"log", "linear"}
        See `soft_decisions`.
    straight_through : bool
        Value of the hard decisions, gradient of the soft ones.
    learn_offsets : bool
        Learn one offset per decision along with the model: thresholds of its own.
    from_priors : sequence or mapping, optional
        Class shares of the training data; with priors in the application every batch is then
        weighted from these to those. Without them, the classes of each batch are.

    Notes
    -----
    As the temperature falls to 0 the value becomes the expected cost of the Bayes decisions;
    gradients then vanish almost everywhere, so do not start there. The loss is not convex. It is
    not a proper score: the posteriors of a model trained with it are good for these decisions only.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, section 2.5, which leaves more
       than two classes open.

    Examples
    --------
    >>> loss = ExpectedCostLoss(Application([[0, 1, 0.2], [4, 0, 0.2]]), temperature=0.01)
    >>> logits = torch.tensor([[5.0, 0.0], [0.0, 5.0], [0.0, 0.0]])
    >>> round(float(loss(logits, torch.tensor([0, 1, 1]))), 3)  # right, right, abstained
    0.067
    """

    @answers_guesses
    def __init__(
        self,
        application: Any,
        *,
        temperature: float = 1.0,
        scale: Scale = "log",
        straight_through: bool = False,
        learn_offsets: bool = False,
        from_priors: Priors | None = None,
    ) -> None:
        super().__init__(application, from_priors)
        one_of(scale, "scale", ("log", "linear"))
        self.temperature = temperature
        self.scale: Scale = scale
        self.straight_through = as_switch(straight_through, "straight_through")
        learnt = as_switch(learn_offsets, "learn_offsets")
        offsets = torch.zeros(len(self.application.decisions)) if learnt else None
        self.offsets = None if offsets is None else nn.Parameter(offsets)

    def forward(
        self, logits: Any, target: Any, costs: Any = None, sample_weight: Any = None
    ) -> Any:
        """The loss of a batch, a scalar.

        Parameters
        ----------
        logits : Tensor of shape (n_cases, n_classes)
            Scores before the softmax.
        target : Tensor of integers, shape (n_cases,)
            Positions of the true classes.
        costs : Tensor of shape (n_cases, n_classes, n_decisions), optional
            Costs of these very cases.
        sample_weight : Tensor of shape (n_cases,), optional
            Weights.
        """
        n_classes, n_decisions = self.application.costs.shape
        refuse_bad_scores(logits, n_classes)
        target = as_codes(target, n_classes, len(logits))
        if costs is not None and of_tensor(costs, "costs").shape != (
            len(logits),
            n_classes,
            n_decisions,
        ):
            raise CostError(
                f"`costs` must have shape ({len(logits)}, {n_classes}, {n_decisions}), one table "
                f"per case; got {tuple(costs.shape)}."
            )
        table = (self.costs if costs is None else costs).to(logits.dtype)
        weights = soft_decisions(
            logits,
            table,
            temperature=self.temperature,
            scale=self.scale,
            straight_through=self.straight_through,
            offsets=None if self.offsets is None else self.offsets.to(logits.dtype),
        )
        if costs is None:
            own = table.index_select(0, target)
        else:
            own = table.gather(1, target[:, None, None].expand(-1, 1, n_decisions))[:, 0]
        return self._average((weights * own).sum(dim=1), target, sample_weight)


class BinaryExpectedCostLoss(_CostLoss):
    r"""Differentiable expected cost of two classes with a threshold that may be learnt.

    .. math:: R_{12} = \frac1{N_1} \sum_{n:H_1} \sigma(\alpha(s_n - u)), \qquad
              R_{21} = \frac1{N_2} \sum_{n:H_2} \sigma(\alpha(u - s_n))

    The error rates of `ferrer2025` eqs 8-9 with a sigmoid for the step (eqs 10-11), weighted by
    costs and priors; lower is better. Scores speak for the second class, so s and u stand for one
    minus those of the paper.

    Parameters
    ----------
    application : Application or CostMatrix
        Two classes, two decisions.
    threshold : float, optional
        Where u is, or starts. Default: the Bayes threshold on log odds (eq 29).
    learn_threshold : bool
        Train u along with the model.
    slope : float
        Steepness :math:`\alpha` of the sigmoid; 1 in the paper.
    from_priors : sequence or mapping, optional
        As in `ExpectedCostLoss`.

    Notes
    -----
    For log odds as scores it is `ExpectedCostLoss` with temperature 1 / slope. For posteriors as
    scores give `threshold=application.posterior_threshold`.

    References
    ----------
    .. [1] L. Ferrer, "No Need for Ad-hoc Substitutes", TMLR 2025, eqs 2, 8-11.
    .. [2] V. Mingote et al., the approximate detection cost as a training objective, 2019.

    Examples
    --------
    >>> loss = BinaryExpectedCostLoss(Application([[0, 1], [3, 0]], priors=[0.5, 0.5]))
    >>> at_threshold = loss.threshold.detach().repeat(2)
    >>> round(loss(at_threshold, torch.tensor([0, 1])).item(), 3)  # (1 + 3) / 2 / 2
    1.0
    """

    @answers_guesses
    def __init__(
        self,
        application: Any,
        *,
        threshold: float | None = None,
        learn_threshold: bool = True,
        slope: float = 1.0,
        from_priors: Priors | None = None,
    ) -> None:
        super().__init__(application, from_priors)
        app = self.application
        if app.costs.shape != (2, 2):
            raise CostError(
                f"two classes and two decisions are needed; got {app.costs.shape}.",
                hint="use ExpectedCostLoss",
            )
        given = app.log_odds_threshold if threshold is None else as_number(threshold, "threshold")
        start = torch.tensor(given)
        if not bool(torch.isfinite(start)):
            raise CostError("the Bayes threshold is infinite: one decision is never wrong.")
        if as_switch(learn_threshold, "learn_threshold"):
            self.threshold = nn.Parameter(start)
        else:
            self.register_buffer("threshold", start)
        self.slope = as_number(slope, "slope")

    def forward(self, scores: Any, target: Any, sample_weight: Any = None) -> Any:
        """The loss of a batch, a scalar.

        Parameters
        ----------
        scores : Tensor of shape (n_cases,)
            Higher speaks for the second class.
        target : Tensor of integers or booleans, shape (n_cases,)
            0 or 1.
        sample_weight : Tensor of shape (n_cases,), optional
            Weights.
        """
        refuse_bad_scores(scores, None, name="scores")
        target = as_codes(target, 2, len(scores))
        acting = torch.sigmoid(self.slope * (scores - self.threshold.to(scores.dtype)))
        own = self.costs.to(scores.dtype).index_select(0, target)
        values = own[:, 0] * (1 - acting) + own[:, 1] * acting
        return self._average(values, target, sample_weight)


Kind = Literal["cross_entropy", "hinge", "squared", "exponential"]


class ReweightedLoss(nn.Module):
    r"""A usual loss in which every case counts by the cost of its errors and by its class share.

    For models that keep their usual decision (argmax, or the sign) and should learn the costs
    instead; lower is better. Posteriors learnt this way belong to the reweighted population:
    decide with argmax, not with the Bayes rule and the same costs again.

    .. math:: \frac{\sum_a v_a k_a}{\sum_a v_a}, \qquad v_a = \frac{P_{y_a}}{P^{data}_{y_a}} c_{y_a}

    Parameters
    ----------
    kind : {"cross_entropy", "hinge", "squared", "exponential"}
        The loss :math:`k_a` of a case; see Notes.
    application : Application or CostMatrix
        Costs, the same for every wrong decision of a class, and priors where it will run.
    from_priors : sequence or mapping
        Class shares of the training data.

    Notes
    -----
    With margins :math:`m_k = s_y - s_k` of the true class over each other: cross-entropy
    :math:`\log\sum_k e^{-m_k}` (its own term included), hinge :math:`\max_{k\ne y} (1 - m_k)_+`,
    exponential :math:`\sum_{k\ne y} e^{-m_k}`. Squared: the Brier loss of the softmax. Two columns
    give the binary losses with margin :math:`s_1 - s_0`.

    References
    ----------
    .. [1] "Cost-Sensitive Evaluation for Binary Classifiers", 2025, eqs 8, 17, section 4.4.1.

    Examples
    --------
    >>> from stakes import CostMatrix
    >>> costs = CostMatrix([[0, 1], [3, 0]])
    >>> loss = ReweightedLoss("hinge", costs, from_priors=[0.5, 0.5])
    >>> scores = torch.tensor([[0.0, 0.0], [0.0, 2.0]])
    >>> float(loss(scores, torch.tensor([0, 1])))  # (1 * 1 + 3 * 0) / (1 + 3)
    0.25
    """

    @answers_guesses
    def __init__(self, kind: Kind, application: Any, *, from_priors: Priors) -> None:
        super().__init__()
        one_of(kind, "kind", get_args(Kind))
        app = as_application(application)
        shares = as_priors(from_priors, app.classes, name="from_priors")
        factors = class_factors(shares, app, priors=app.priors)
        self.kind: Kind = kind
        self.register_buffer("factors", torch.tensor(np.array(factors), dtype=torch.float32))

    def forward(self, logits: Any, target: Any, sample_weight: Any = None) -> Any:
        """The loss of a batch, a scalar.

        Parameters
        ----------
        logits : Tensor of shape (n_cases, n_classes)
            Scores of the classes.
        target : Tensor of integers, shape (n_cases,)
            Positions of the true classes.
        sample_weight : Tensor of shape (n_cases,), optional
            Weights that the cases already have.
        """
        refuse_bad_scores(logits, len(self.factors))
        target = as_codes(target, len(self.factors), len(logits))
        weights = self.factors.to(logits.dtype).index_select(0, target)
        if sample_weight is not None:
            refuse_other_length(sample_weight, len(weights))
            weights = weights * sample_weight
        return (weights * case_losses(self.kind, logits, target)).sum() / weights.sum()


def case_losses(kind: Kind, logits: Any, target: Any) -> Any:
    """The loss of each case, (n,)."""
    if kind == "cross_entropy":
        return nn.functional.cross_entropy(logits, target, reduction="none")
    own = nn.functional.one_hot(target, logits.shape[1])
    if kind == "squared":
        return (logits.softmax(dim=1) - own).square().sum(dim=1)
    behind = (logits - logits.gather(1, target[:, None])).masked_fill(own.bool(), -torch.inf)
    if kind == "hinge":
        return (1 + behind.amax(dim=1)).clamp_min(0)
    return behind.exp().sum(dim=1)
