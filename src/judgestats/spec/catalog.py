"""Catalog: the models that are shipped, and a model with its options resolved."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from judgestats.errors import ConfigError, near_match
from judgestats.spec.model import ModelOptions, ModelSpec, StageSpec
from judgestats.spec.model_file import ModelFile, OptionValue, StageTemplate, one_of, read_model_file
from judgestats.spec.term import Term


def models_folder() -> Path:
    """Return the folder of model files: inside the installed package or, in a checkout, ``models/`` at its root."""
    installed = Path(str(files("judgestats"))) / "_catalog" / "models"
    return installed if installed.is_dir() else Path(__file__).resolve().parents[3] / "models"


def model_names() -> tuple[str, ...]:
    """Return the names of the shipped models, sorted."""
    return tuple(sorted(path.parent.name for path in models_folder().glob("*/model.toml")))


def load_model(name: str, options: ModelOptions, columns: Collection[str]) -> ModelSpec:
    """Return a shipped model under the options of an analysis and the columns of its trial table.

    Parameters
    ----------
    name : str
        Name of a folder in ``models/``.
    options : ModelOptions
        Choices of the analysis.
    columns : collection of str
        Columns of the trial table; a term that needs a column is active only where it is there.

    Returns
    -------
    ModelSpec
        Stages with their active terms and the priors that hold under the options.

    Raises
    ------
    ConfigError
        If the model or an option value is unknown or the model file is wrong.
    """
    one_of(name, model_names(), "model")
    return resolve(read_model_file(models_folder() / name / "model.toml"), options, columns)


def model_verdict(name: str) -> str:
    """Return the verdict kind of the trials that a shipped model takes; ConfigError for an unknown model."""
    one_of(name, model_names(), "model")
    return read_model_file(models_folder() / name / "model.toml").verdict


def resolve(model: ModelFile, options: ModelOptions, columns: Collection[str]) -> ModelSpec:
    """Return the model of a model file with only the active terms, under their priors.

    Parameters
    ----------
    model : ModelFile
        A checked model file.
    options : ModelOptions
        Choices of the analysis.
    columns : collection of str
        Columns of the trial table.

    Returns
    -------
    ModelSpec
        The resolved model.

    Raises
    ------
    ConfigError
        If an option has a value that the model does not offer, if two options exclude each other, if two active terms
        share a name, or if a correlation names a term that is not active.
    """
    chosen = _chosen(model, options)
    if options.correlated_stages and options.items == "shared":
        raise ConfigError(
            "option correlated_stages = true cannot go with items = 'shared': an item would have one effect for all judges "
            "and a correlation for each",
            allowed="correlated_stages with items = 'separate'",
            remedy="choose one of the two options",
        )
    stages = tuple(_resolve_stage(model, stage, chosen, columns) for stage in model.stages)
    correlations = tuple(c for c in model.correlations if _holds(c.option, chosen))
    active = {f"{stage.name}.{term.name}" for stage in stages for term in stage.terms}
    for correlation in correlations:
        for end in correlation.between:
            if end not in active:
                raise ConfigError(f"{model.path}: correlation {correlation.name!r} needs the inactive term {end!r}")
    return ModelSpec(
        name=model.name,
        title=model.title,
        question=model.question,
        verdict=model.verdict,
        stages=stages,
        options=options,
        estimands=model.estimands,
        correlations=correlations,
        references=model.references,
    )


def _chosen(model: ModelFile, options: ModelOptions) -> dict[str, OptionValue]:
    chosen: dict[str, OptionValue] = asdict(options)
    defaults = asdict(ModelOptions())
    for name, value in chosen.items():
        allowed = model.options.get(name, (defaults[name],))
        if value not in allowed:
            words = [str(v) for v in allowed]
            hint = near_match(str(value), words)
            raise ConfigError(
                f"model {model.name!r}: option {name} = {value!r} is not offered{'; ' + hint if hint else ''}",
                allowed=", ".join(words),
            )
    return chosen


def _holds(condition: str | None, chosen: dict[str, OptionValue]) -> bool:
    if condition is None:
        return True
    name, _, value = condition.partition("=")
    return str(chosen[name]) == value if value else chosen[name] is True


def _resolve_stage(
    model: ModelFile, stage: StageTemplate, chosen: dict[str, OptionValue], columns: Collection[str]
) -> StageSpec:
    terms: list[Term] = []
    for template in stage.terms:
        term = template.term
        if not _holds(term.option, chosen) or (term.needs is not None and term.needs not in columns):
            continue
        if any(other.name == term.name for other in terms):
            raise ConfigError(f"{model.path}: stage {stage.name!r} has two active terms called {term.name!r}")
        prior = next((p for c, p in template.prior_when.items() if _holds(c, chosen)), term.prior)
        terms.append(term.with_prior(prior))
    return StageSpec(stage.name, stage.response, stage.given, stage.family, tuple(terms))
