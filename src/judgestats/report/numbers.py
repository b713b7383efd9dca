"""Numbers: a value with the one text that every page prints for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

ABSENT = "–"
MOST_DECIMALS = 4


@dataclass(frozen=True)
class Number:
    """A value and its text; the text is made once, so no two pages can round it differently.

    Parameters
    ----------
    value : float or None
        The unrounded value; None where the quantity does not apply or is not finite.
    text : str
        What is printed.
    """

    value: float | None
    text: str

    def __str__(self) -> str:
        return self.text


NOTHING = Number(None, ABSENT)


def decimals(sd: float | None, mcse: float | None) -> int:
    """Return how many decimals an estimate deserves.

    Two significant digits of the posterior standard deviation (three decimals are enough from 0.003 on), and no digit
    whose unit is below the Monte Carlo standard error; at least 0, at most 4.

    Parameters
    ----------
    sd : float or None
        Posterior standard deviation on the scale of the estimate.
    mcse : float or None
        Monte Carlo (or grid) standard error of the mean; None or 0 where there is none.

    Returns
    -------
    int
        Decimals, the same for every number of the row.
    """
    places = 3
    if sd is not None and math.isfinite(sd) and sd > 0:
        places = 1 - math.floor(math.log10(sd))
        if sd >= 0.003:
            places = min(places, 3)
    if mcse is not None and math.isfinite(mcse) and mcse > 0:
        places = min(places, math.floor(-math.log10(mcse)))
    return max(0, min(MOST_DECIMALS, places))


def fixed(value: float | None, places: int) -> Number:
    """Return `value` with `places` decimals; a rounded zero carries no sign."""
    if value is None or not math.isfinite(value):
        return NOTHING
    text = f"{value:.{places}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return Number(value, text)


def interval_end(value: float | None, places: int, mcse: float | None = None) -> Number:
    """Return an end of an interval; one that would print as 0 without being 0 gets more decimals, if the MCSE lets it."""
    number = fixed(value, places)
    while (
        number.value and float(number.text) == 0 and places < MOST_DECIMALS and 10.0 ** -(places + 1) >= (mcse or 0.0)
    ):
        places += 1
        number = fixed(value, places)
    return number


def probability(value: float | None) -> Number:
    """Return a posterior probability with three decimals, ``<0.001`` and ``>0.999`` at the ends."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if value < 0.001:
        return Number(value, "<0.001")
    if value > 0.999:
        return Number(value, ">0.999")
    return Number(value, f"{value:.3f}")


def p_value(value: float | None) -> Number:
    """Return a permutation p with two significant digits, at least three decimals; it is never printed as 0."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if value >= 0.01 or value <= 0:
        return Number(value, f"{value:.3f}")
    rounded = float(f"{value:.1e}")
    places = max(3, 1 - math.floor(math.log10(rounded) + 1e-9))
    return Number(value, f"{rounded:.{places}f}" if places <= 6 else f"{value:.1e}")


def percent(part: int, whole: int) -> Number:
    """Return `part` of `whole` as a percentage, one decimal where it is not whole."""
    if whole == 0:
        return NOTHING
    share = 100 * part / whole
    text = f"{share:.0f} %" if abs(share - round(share)) < 0.05 else f"{share:.1f} %"
    if part and text == "0 %":
        text = "<0.1 %"
    if part != whole and text == "100 %":
        text = ">99.9 %"
    return Number(part / whole, text)


def count(value: float | None) -> Number:
    """Return a count, thousands separated by a comma."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return Number(value, f"{round(value):,}")


def significant(value: float | None, digits: int = 3) -> Number:
    """Return `value` with `digits` significant digits, for diagnostics of unknown scale."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if value == 0:
        return Number(value, "0")
    if not 1e-4 <= abs(value) < 1e6:
        return Number(value, f"{value:.{digits - 1}e}")
    return Number(value, f"{value:.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}")


def as_given(value: float | None) -> Number:
    """Return a value that somebody set (a planted effect, a ROPE end) as it was set."""
    if value is None or not math.isfinite(value):
        return NOTHING
    return Number(value, f"{value:.6g}")


def credible_interval(lower: Number, upper: Number, prob: float | None, kind: str | None) -> str:
    """Return e.g. ``95 % CrI [0.026, 0.173] (equal-tailed)``."""
    share = "" if prob is None else f"{100 * prob:g} % "
    tail = {"eti": " (equal-tailed)", "hdi": " (highest density)"}.get(kind or "", f" ({kind})" if kind else "")
    return f"{share}CrI [{lower}, {upper}]{tail}"
