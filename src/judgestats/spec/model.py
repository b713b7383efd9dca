"""Model specification: the stages, terms, priors and options of a statistical model, as frozen data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal

from judgestats.spec.correlation import Correlation
from judgestats.spec.prior import Prior
from judgestats.spec.term import Term

POOLED_GROUPS: tuple[str, ...] = ("judge", "domain", "cell")


@dataclass(frozen=True)
class ModelOptions:
    """Choices that an analysis may make about a model.

    Parameters
    ----------
    pooling : {"none", "partial"}
        Cells fitted apart, or partially pooled over judges and domains.
    items : {"separate", "shared"}
        Item effects per judge x domain cell, or shared by the judges of a domain.
    block_slope : bool
        Whether the block effect varies by item.
    correlated_stages : bool
        Whether an item's validity and consistency effects may correlate.
    task : {"default", "ceiling"}
        ``ceiling`` takes the intercept prior of tasks that are known to sit near 1.
    """

    pooling: Literal["none", "partial"] = "none"
    items: Literal["separate", "shared"] = "separate"
    block_slope: bool = False
    correlated_stages: bool = False
    task: Literal["default", "ceiling"] = "default"


@dataclass(frozen=True)
class StageSpec:
    """One stage after options and columns have been resolved: only active terms remain.

    Parameters
    ----------
    name : {"validity", "moved", "shift"}
        Group of the result tree.
    response : str
        What is modelled, e.g. ``valid`` or ``consistent``.
    given : str
        Which trials enter, e.g. ``all`` or ``valid``.
    family : str
        Name of a file in ``inference/families``.
    terms : tuple of Term
        Active terms in the order of the model file.
    """

    name: str
    response: str
    given: str
    family: str
    terms: tuple[Term, ...]

    def term(self, name: str) -> Term:
        """Return the active term called `name`; KeyError if it is not active."""
        for term in self.terms:
            if term.name == name:
                return term
        raise KeyError(name)

    def pooled(self, of: str) -> tuple[Term, ...]:
        """Return the active terms that pool cells: deviations of judges, domains and cells in `of`.

        Parameters
        ----------
        of : {"intercept", "block", "variant"}
            Whether of the intercepts (alpha), of the block effects (beta) or of the effects of variants (effect).
        """
        return tuple(t for t in self.terms if t.kind == "varying" and t.of == of and t.group in POOLED_GROUPS)

    def has(self, name: str) -> bool:
        """Return whether a term called `name` is active."""
        return any(term.name == name for term in self.terms)

    def with_priors(self, priors: Mapping[str, Prior]) -> StageSpec:
        """Return a copy in which the named terms have other priors."""
        return replace(self, terms=tuple(t.with_prior(priors[t.name]) if t.name in priors else t for t in self.terms))


@dataclass(frozen=True)
class ModelSpec:
    """A statistical model with its options resolved for one analysis.

    Parameters
    ----------
    name, title, question : str
        Identity of the model and the question it answers.
    verdict : str
        Verdict kind of the trials it takes.
    stages : tuple of StageSpec
        Validity stage first.
    options : ModelOptions
        The options under which the stages were resolved.
    estimands : tuple of str
        Names of the estimands it reports.
    correlations : tuple of Correlation
        Active correlations of varying effects over stages; while there is one, the stages do not factorise.
    references : tuple of str
        What the model follows, as DOI or arXiv numbers.
    """

    name: str
    title: str
    question: str
    verdict: str
    stages: tuple[StageSpec, ...]
    options: ModelOptions
    estimands: tuple[str, ...]
    correlations: tuple[Correlation, ...] = ()
    references: tuple[str, ...] = ()

    def stage(self, name: str) -> StageSpec:
        """Return the stage called `name`."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise KeyError(name)

    def digest(self) -> str:
        """Return the SHA-256 of the resolved specification, for provenance and caching."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()
