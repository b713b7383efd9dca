"""Prior alternatives: the priors under which an effect is estimated again, one at a time and as whole sets."""

from __future__ import annotations

from dataclasses import dataclass

from judgestats.spec.model import StageSpec
from judgestats.spec.prior import Prior

WORDS = {
    "alpha": "intercept",
    "beta": "block effect",
    "sigma_item": "item sd",
    "sigma_cluster": "cluster sd",
}

_SDS = (Prior("half_normal", 0.5), Prior("half_normal", 1.0), Prior("half_normal", 2.5))
ONE_AT_A_TIME: dict[str, tuple[Prior, ...]] = {
    "beta": (Prior("normal", 1.0), Prior("normal", 1.5), Prior("normal", 2.5)),
    "alpha": (Prior("normal", 1.5), Prior("normal", 1.5, 3.0), Prior("normal", 2.5)),
    "sigma_item": _SDS,
    "sigma_cluster": _SDS,
}
WHOLE_SETS: dict[str, dict[str, Prior]] = {
    "sceptical set": {
        "alpha": Prior("normal", 1.5),
        "beta": Prior("normal", 1.0),
        "sigma_item": Prior("half_normal", 0.5),
    },
    "ceiling set": {
        "alpha": Prior("normal", 1.5, 3.0),
        "beta": Prior("normal", 1.5),
        "sigma_item": Prior("half_normal", 1.0),
    },
    "broad set": {
        "alpha": Prior("normal", 2.5),
        "beta": Prior("normal", 2.5),
        "sigma_item": Prior("half_normal", 1.0),
    },
}


@dataclass(frozen=True)
class Alternative:
    """A stage under other priors.

    Parameters
    ----------
    setting : str
        What differs from the fitted priors, in words.
    stage : StageSpec
        The stage with those priors.
    whole : bool
        Whether it is one of the whole sets (or the fitted priors themselves).
    """

    setting: str
    stage: StageSpec
    whole: bool


def prior_alternatives(stage: StageSpec) -> tuple[Alternative, ...]:
    """Return the fitted priors, then every alternative that differs from them.

    One prior is changed at a time: block effect N(0, 1), N(0, 1.5), N(0, 2.5); intercept N(0, 1.5), N(3, 1.5), N(0,
    2.5); standard deviations half-normal(0.5), (1), (2.5). Then three whole sets: sceptical, the one of tasks near
    the ceiling, and broad.

    Parameters
    ----------
    stage : StageSpec
        The stage as fitted; priors of other terms stay.
    """
    found = [Alternative(f"as fitted: {_words(stage, WORDS)}", stage, True)]
    for name, priors in ONE_AT_A_TIME.items():
        if stage.has(name):
            for prior in priors:
                if not _same(stage.term(name).prior, prior):
                    changed = stage.with_priors({name: prior})
                    found.append(Alternative(f"{WORDS[name]} {prior.label()}", changed, False))
    for title, priors_of in WHOLE_SETS.items():
        active = {name: prior for name, prior in priors_of.items() if stage.has(name)}
        if any(not _same(stage.term(name).prior, prior) for name, prior in active.items()):
            changed = stage.with_priors(active)
            found.append(Alternative(f"{title}: {_words(changed, active)}", changed, True))
    return tuple(found)


def _words(stage: StageSpec, names: dict[str, str] | dict[str, Prior]) -> str:
    return ", ".join(f"{WORDS[n]} {stage.term(n).prior.label()}" for n in names if stage.has(n))


def _same(a: Prior, b: Prior) -> bool:
    return (a.family, a.mean, a.sd) == (b.family, b.mean, b.sd)
