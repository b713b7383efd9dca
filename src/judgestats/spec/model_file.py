"""Model file: a model.toml checked key by key, before options and columns are known."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from judgestats.errors import ConfigError, near_match
from judgestats.spec.correlation import Correlation
from judgestats.spec.prior import PRIOR_FAMILIES, Prior, PriorFamily
from judgestats.spec.term import TERM_KINDS, Term, TermKind

MODEL_KEYS = ("name", "title", "question", "verdict", "references", "estimands", "options", "stages", "correlations")
STAGE_KEYS = ("name", "response", "given", "family", "terms")
TERM_KEYS = (
    *("name", "kind", "factors", "group", "of", "needs", "option", "symbol", "meaning", "prior", "prior_when"),
)
PRIOR_KEYS = ("family", "mean", "sd", "shape", "reason")
CORRELATION_KEYS = ("name", "group", "between", "option", "symbol", "meaning", "prior")
FAMILIES = ("bernoulli_logit", "cumulative_logit", "rounded_t")
GROUPS = ("item", "cluster", "judge", "domain", "cell")
FACTORS = ("cell", "judge", "domain", "block", "variant", "threshold")

OptionValue = str | bool


@dataclass(frozen=True)
class TermTemplate:
    """A term of a model file with the priors that options put in its place.

    Parameters
    ----------
    term : Term
        The term with its default prior.
    prior_when : dict of str to Prior
        Priors by option, e.g. ``task=ceiling``.
    """

    term: Term
    prior_when: dict[str, Prior]


@dataclass(frozen=True)
class StageTemplate:
    """A stage of a model file with all its terms, active or not."""

    name: str
    response: str
    given: str
    family: str
    terms: tuple[TermTemplate, ...]


@dataclass(frozen=True)
class ModelFile:
    """Everything a model.toml says.

    Parameters
    ----------
    path : Path
        Where it was read from.
    name, title, question, verdict : str
        Identity.
    references, estimands : tuple of str
        Sources and names of estimands.
    options : dict of str to tuple
        Allowed values of each option, the default first.
    stages : tuple of StageTemplate
        Stages with all terms.
    correlations : tuple of Correlation
        Correlations over stages.
    """

    path: Path
    name: str
    title: str
    question: str
    verdict: str
    references: tuple[str, ...]
    estimands: tuple[str, ...]
    options: dict[str, tuple[OptionValue, ...]]
    stages: tuple[StageTemplate, ...]
    correlations: tuple[Correlation, ...]


def read_model_file(path: Path) -> ModelFile:
    """Read and check a model file.

    Parameters
    ----------
    path : Path
        A ``model.toml``.

    Returns
    -------
    ModelFile
        Its content.

    Raises
    ------
    ConfigError
        For broken TOML and for an unknown or missing key, kind, family, group, factor or option; the message names the
        file and the key and offers a near match.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}", remedy="mend the file at the place named") from error
    _check_keys(raw, MODEL_KEYS, ("name", "title", "question", "verdict", "estimands", "stages"), f"{path}")
    options = {str(key): tuple(values) for key, values in raw.get("options", {}).items()}
    stages = tuple(_stage(entry, options, f"{path}: stages[{i}]") for i, entry in enumerate(raw["stages"]))
    correlations = tuple(
        _correlation(entry, options, stages, f"{path}: correlations[{i}]")
        for i, entry in enumerate(raw.get("correlations", []))
    )
    return ModelFile(
        path=path,
        name=str(raw["name"]),
        title=str(raw["title"]),
        question=str(raw["question"]),
        verdict=str(raw["verdict"]),
        references=tuple(raw.get("references", ())),
        estimands=tuple(raw["estimands"]),
        options=options,
        stages=stages,
        correlations=correlations,
    )


def one_of(value: str, allowed: Iterable[str], where: str) -> str:
    """Return `value` if it is among `allowed`; otherwise raise ConfigError with a near match, naming `where`."""
    known = list(allowed)
    if value not in known:
        hint = near_match(str(value), known)
        raise ConfigError(f"{where}: {value!r} is unknown{'; ' + hint if hint else ''}", allowed=", ".join(known))
    return value


def _check_keys(entry: object, known: Collection[str], needed: Iterable[str], where: str) -> Mapping[str, Any]:
    if not isinstance(entry, dict):
        raise ConfigError(f"{where}: expected a table, got {type(entry).__name__}", allowed=", ".join(known))
    for key in entry:
        one_of(key, known, f"{where}: key")
    for key in needed:
        if key not in entry:
            raise ConfigError(f"{where}: key {key!r} is missing", allowed=", ".join(known), remedy=f"add {key!r}")
    return entry


def _check_option(condition: str, options: Mapping[str, tuple[OptionValue, ...]], where: str) -> None:
    name, _, value = condition.partition("=")
    one_of(name, options, f"{where}: option")
    if value:
        one_of(value, [str(v) for v in options[name]], f"{where}: value of option {name!r}")
    elif True not in options[name]:
        raise ConfigError(f"{where}: option {name!r} is not a yes-no option", remedy=f"write '{name}=VALUE'")


def _stage(entry: object, options: Mapping[str, tuple[OptionValue, ...]], where: str) -> StageTemplate:
    table = _check_keys(entry, STAGE_KEYS, STAGE_KEYS, where)
    terms = tuple(_term(t, options, f"{where}.terms[{i}]") for i, t in enumerate(table["terms"]))
    family = one_of(table["family"], FAMILIES, f"{where}.family")
    return StageTemplate(str(table["name"]), str(table["response"]), str(table["given"]), family, terms)


def _term(entry: object, options: Mapping[str, tuple[OptionValue, ...]], where: str) -> TermTemplate:
    table = _check_keys(entry, TERM_KEYS, ("name", "kind", "prior"), where)
    where = f"{where} ({table['name']})"
    kind = cast(TermKind, one_of(table["kind"], TERM_KINDS, f"{where}.kind"))
    for factor in table.get("factors", ()):
        one_of(factor, FACTORS, f"{where}.factors")
    if kind == "varying":
        one_of(table.get("group", ""), GROUPS, f"{where}.group")
        one_of(table.get("of", "intercept"), ("intercept", "block", "variant"), f"{where}.of")
    if "option" in table:
        _check_option(table["option"], options, where)
    prior_when = {}
    for condition, prior in table.get("prior_when", {}).items():
        _check_option(condition, options, f"{where}.prior_when")
        prior_when[condition] = _prior(prior, f"{where}.prior_when.{condition!r}")
    term = Term(
        name=str(table["name"]),
        kind=kind,
        prior=_prior(table["prior"], f"{where}.prior"),
        factors=tuple(table.get("factors", ())),
        group=table.get("group"),
        of=str(table.get("of", "intercept")),
        needs=table.get("needs"),
        option=table.get("option"),
        symbol=str(table.get("symbol", "")),
        meaning=str(table.get("meaning", "")),
    )
    return TermTemplate(term, prior_when)


def _correlation(
    entry: object, options: Mapping[str, tuple[OptionValue, ...]], stages: Iterable[StageTemplate], where: str
) -> Correlation:
    table = _check_keys(entry, CORRELATION_KEYS, ("name", "group", "between", "prior"), where)
    known = [f"{s.name}.{t.term.name}" for s in stages for t in s.terms if t.term.kind == "varying"]
    first, second = (one_of(name, known, f"{where}.between") for name in table["between"])
    if "option" in table:
        _check_option(table["option"], options, where)
    return Correlation(
        name=str(table["name"]),
        group=one_of(table["group"], GROUPS, f"{where}.group"),
        between=(first, second),
        prior=_prior(table["prior"], f"{where}.prior"),
        option=table.get("option"),
        symbol=str(table.get("symbol", "")),
        meaning=str(table.get("meaning", "")),
    )


def _prior(entry: object, where: str) -> Prior:
    table = _check_keys(entry, PRIOR_KEYS, ("family", "reason"), where)
    family = cast(PriorFamily, one_of(table["family"], PRIOR_FAMILIES, f"{where}.family"))
    try:
        if family == "lkj":
            _check_keys(table, ("family", "shape", "reason"), ("shape",), where)
            return Prior.lkj(float(table["shape"]), str(table["reason"]))
        if family == "induced_dirichlet":
            _check_keys(table, ("family", "shape", "mean", "reason"), ("shape",), where)
            return Prior.induced_dirichlet(float(table["shape"]), float(table.get("mean", 0.0)), str(table["reason"]))
        if family == "gamma":
            _check_keys(table, PRIOR_KEYS, ("shape", "sd"), where)
            sd, mean = float(table["sd"]), float(table.get("mean", 0.0))
            return Prior("gamma", sd, mean, str(table["reason"]), float(table["shape"]))
        _check_keys(table, ("family", "mean", "sd", "reason"), ("sd",), where)
        return Prior(family, float(table["sd"]), float(table.get("mean", 0.0)), str(table["reason"]))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{where}: {error}", remedy="correct the prior") from error
