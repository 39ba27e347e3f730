"""What section 4.2 concludes from Table 2, checked on the numbers computed again."""

from __future__ import annotations

from collections.abc import Mapping

from stakes.papers.items import Claim

Place = tuple[str, str, str]
Rows = Mapping[Place, Mapping[str, float]]


def claims(found: Rows, printed: Rows) -> tuple[Claim, ...]:
    """The conclusions of the text, each with the numbers behind it."""
    return (
        _insensitive(found),
        _bounded(found),
        _unaffected_by_priors(found),
        _degrading(found, printed),
        _ranked_differently(found),
    )


def _pairs(found: Rows) -> list[tuple[str, Mapping[str, float], Mapping[str, float]]]:
    """Each system: its name, its raw row, its calibrated row."""
    return [
        (f"{data} {system}", found[data, system, "raw"], found[data, system, "cal"])
        for data, system, kind in found
        if kind == "raw"
    ]


def _insensitive(found: Rows) -> Claim:
    """AUC and EER do not see calibration."""
    largest = {
        name: max(abs(raw[name] - cal[name]) for _, raw, cal in _pairs(found) if name in raw)
        for name in ("1-AUC", "EER")
    }
    return Claim(
        "AUC and EER are insensitive to calibration, apart from the effect of cross-validation.",
        max(largest.values()) < 0.01,
        f"Largest change: AUC {largest['1-AUC']:.4f}, EER {largest['EER']:.4f}.",
    )


def _bounded(found: Rows) -> Claim:
    """The error rate of calibrated scores is at most the EER."""
    over = {name: cal["1-ACC"] - cal["EER"] for name, _, cal in _pairs(found) if "EER" in cal}
    worst = max(over, key=lambda name: over[name])
    return Claim(
        "For calibrated scores the EER is, approximately, an upper bound of the error rate.",
        over[worst] < 0.01,
        f"The error rate exceeds the EER by at most {over[worst]:.4f} ({worst}), in "
        f"{sum(gap > 0 for gap in over.values())} of {len(over)} two-class data sets.",
    )


def _unaffected_by_priors(found: Rows) -> Claim:
    """The NEC for CinvP does not see the priors."""
    parts, widest = [], 0.0
    for family, system in (("SST2", "GPT2-0sh"), ("IEMOCAP", "W2V2"), ("AGNEWS", "GPT2-0sh")):
        names = [
            d for d, s, kind in found if d.startswith(family) and s == system and kind == "cal"
        ]
        values = [found[name, system, "cal"]["NEC CinvP"] for name in names]
        widest = max(widest, max(values) - min(values))
        parts.append(f"{family} {', '.join(f'{value:.3f}' for value in values)}")
    return Claim(
        "The NEC for CinvP of calibrated scores is, approximately, unaffected by the priors.",
        widest < 0.02,
        f"Original and resampled: {'; '.join(parts)}.",
    )


def _degrading(found: Rows, printed: Rows) -> Claim:
    """Multi-class F1 degrading after calibration, which is an effect of the wrong decisions."""
    rise = {n: cal["MC1 argmax"] - raw["MC1 argmax"] for n, raw, cal in _pairs(found)}
    as_printed = sum(cal["MC1"] - raw["MC1"] > 0.005 for _, raw, cal in _pairs(found))
    iemocap, resnet = (
        _change(found, place, "MC1 argmax") + f" (printed {_change(printed, place, 'MC1')})"
        for place in (("IEMOCAP", "W2V2"), ("CIFAR10", "Resnet20"))
    )
    sitw = [implied_macro_f1(printed["SITW-Res1", "XvPLDA", kind]) for kind in ("raw", "cal")]
    sitw_printed = _change(printed, ("SITW-Res1", "XvPLDA"), "MC1")
    worst = max(rise, key=lambda name: rise[name])
    return Claim(
        "Multi-class F1 with argmax decisions sometimes degrades after calibration (SITW-Res1, "
        "SITW-Res2, IEMOCAP, some CIFAR results).",
        None,
        "As printed, which is with the Bayes decisions for Cimb, 1 - MC1 rises by more than .005 "
        f"for {as_printed} of {len(rise)} systems. With argmax the named examples vanish: "
        f"IEMOCAP {iemocap}, CIFAR10 Resnet20 {resnet}, SITW-Res1, from its own printed columns, "
        f"about {sitw[0]:.3f} to {sitw[1]:.3f} (printed {sitw_printed}). The largest rise left is "
        f"{rise[worst]:.3f}, for {worst}.",
        erratum=1,
    )


def _change(rows: Rows, place: tuple[str, str], column: str) -> str:
    """A number before and after calibration."""
    return " to ".join(f"{rows[(*place, kind)][column]:.3f}" for kind in ("raw", "cal"))


def implied_macro_f1(row: Mapping[str, float]) -> float:
    """1 - macro F1 of argmax decisions, from the printed error rate and 1 - F1 of two classes.

    With error rate e and 1 - F1 = b, the rate of true positives is e (1 - b) / (2 b), and the
    first class has 1 - F1 = e / (2 - e (1 - b) / b - e).
    """
    error, second = row["1-ACC"], row["Bin"]
    first = error / (2 - error * (1 - second) / second - error)
    return (first + second) / 2


def _ranked_differently(found: Rows) -> Claim:
    """Two systems whose order depends on the metric."""
    parts, holds = [], True
    for data in ("CIFAR10", "CIFAR100"):
        vgg, resnet = found[data, "Vgg19", "cal"], found[data, "Resnet20", "cal"]
        holds &= vgg["1-ACC"] < resnet["1-ACC"] and vgg["MC1 argmax"] < resnet["MC1 argmax"]
        holds &= vgg["NEC C01"] < resnet["NEC C01"] and vgg["NEC Cimb"] > resnet["NEC Cimb"]
        parts.append(
            f"{data} error rate {vgg['1-ACC']:.3f} against {resnet['1-ACC']:.3f}, NEC for Cimb "
            f"{vgg['NEC Cimb']:.3f} against {resnet['NEC Cimb']:.3f}"
        )
    return Claim(
        "Calibrated Vgg19 is better than Resnet20 by every metric except the NEC for Cimb.",
        bool(holds),
        f"{'; '.join(parts)}. (MC1 with argmax agrees with the error rate.)",
    )
