"""Term: one additive part of a stage's linear predictor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from judgestats.spec.prior import Prior

TermKind = Literal["product", "slope", "varying", "smooth"]
TERM_KINDS: tuple[str, ...] = get_args(TermKind)


@dataclass(frozen=True)
class Term:
    """One additive part of the linear predictor.

    Parameters
    ----------
    name : str
        Name of its parameter in the result tree, e.g. ``alpha``, ``beta``, ``sigma_item``.
    kind : {"product", "slope", "varying", "smooth"}
        ``product`` is one coefficient per combination of `factors`; ``varying`` is a zero-mean normal effect per level
        of `group`, whose standard deviation is the parameter `name`.
    factors : tuple of str
        Factors that index the coefficient; ``("cell",)`` is an intercept per cell, ``("cell", "block")`` a block effect
        per cell on the -1/2, +1/2 code, ``("cell", "variant")`` an effect of every variant other than the base, and
        ``("cell", "threshold")`` the thresholds of a cell. For a varying term, what its levels are nested within and its standard
        deviation is indexed by: ``("cell",)`` for items of one cell, ``("domain",)`` for items that judges share.
    prior : Prior
        Prior of the coefficient, or of the standard deviation for a varying term. While a varying term of group
        ``judge``, ``domain`` or ``cell`` is active, the coefficients are mean + deviations and the prior is that of the
        mean.
    group : str, optional
        Grouping of a varying term: ``item``, ``cluster``, or, under partial pooling, ``judge``, ``domain`` or ``cell``.
    of : str, optional
        For a varying term, ``intercept`` or the factor whose effect varies (``block``, ``variant``).
    needs : str, optional
        Column that the trial table must have for the term to be active.
    option : str, optional
        Option that switches the term on, ``name`` for a yes-no option or ``name=value``; None when it is always on.
    symbol : str, optional
        Symbol in formulas.
    meaning : str, optional
        What the parameter means, as a phrase for the prior table.
    """

    name: str
    kind: TermKind
    prior: Prior
    factors: tuple[str, ...] = ()
    group: str | None = None
    of: str = "intercept"
    needs: str | None = None
    option: str | None = None
    symbol: str = ""
    meaning: str = ""

    def with_prior(self, prior: Prior) -> Term:
        """Return a copy with another prior."""
        return replace(self, prior=prior)
