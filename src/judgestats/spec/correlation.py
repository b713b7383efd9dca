"""Correlation: two varying effects of the same group, in two stages, that may move together."""

from __future__ import annotations

from dataclasses import dataclass

from judgestats.spec.prior import Prior


@dataclass(frozen=True)
class Correlation:
    """A correlation of a group's effects over two stages.

    Parameters
    ----------
    name : str
        Name of its parameter in the result tree, e.g. ``rho_item``, one per cell.
    group : str
        The group whose effects correlate: ``item``.
    between : tuple of str
        Two varying terms as ``stage.term``, e.g. ``("validity.sigma_item", "shift.sigma_item")``.
    prior : Prior
        Prior of the correlation, of family ``lkj``.
    option : str, optional
        Option that switches it on.
    symbol, meaning : str
        Symbol in formulas and meaning as a phrase.
    """

    name: str
    group: str
    between: tuple[str, str]
    prior: Prior
    option: str | None = None
    symbol: str = ""
    meaning: str = ""
