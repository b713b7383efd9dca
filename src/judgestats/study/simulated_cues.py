"""Simulated cues: the part of ``[simulation]`` that plants cue effects in judges that give scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from judgestats.design.cue_design import CUES, PLACEBO_NOTES, CueDesign, read_variant
from judgestats.errors import ConfigError
from judgestats.judges.planted_scores import CueEffect, PlantedScores, PlantedShift
from judgestats.judges.simulated_scores import SimulatedScoreJudge
from judgestats.seeds import Seed
from judgestats.study.section import read_section
from judgestats.trials.table import Score

if TYPE_CHECKING:
    import pandas as pd

WHERE = "[simulation]"


@dataclass(frozen=True)
class _Design:
    """Keys of the design; those of `CueDesign` without the domains, which the judges name."""

    items: int
    cues: tuple[str, ...] = CUES
    wordings: int = len(PLACEBO_NOTES)
    repeats: int = 1


@dataclass(frozen=True)
class _Cell:
    """Keys of one judge in one domain; those of `PlantedScores` without the effects."""

    kind: Literal["ordinal", "greedy", "constant", "coin_flip"] = "ordinal"
    level: float = 5.5
    item_sd: float = 1.0
    noise: float = 0.5
    moved_sd: float = 0.0
    refusal: float = 0.0


@dataclass(frozen=True)
class CueSimulation:
    """Simulated score judges and the cue design that they answer.

    Parameters
    ----------
    design : CueDesign
        Items, variants and domains; domains are those of the judges, in the order of the file.
    judges : tuple of SimulatedScoreJudge
        Judges with the scale and the planted values of each domain.
    """

    design: CueDesign
    judges: tuple[SimulatedScoreJudge, ...]

    @property
    def scale(self) -> Score:
        """The scale, one for all judges."""
        return self.judges[0].scale

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> CueSimulation:
        """Read the keys of ``[simulation]`` that belong to the design ``cues``.

        Raises
        ------
        ConfigError
            For what is missing, unknown or impossible; for an effect of a variant that the design does not ask.
        """
        scale = _scale(table)
        named = dict(table.get("judges", {}))
        if not named or not all(isinstance(cells, Mapping) and cells for cells in named.values()):
            raise ConfigError(f"{WHERE} names no judge", allowed='tables [simulation.judges."NAME"."DOMAIN"]')
        keys = {key: table[key] for key in ("items", "cues", "wordings", "repeats") if key in table}
        domains = tuple(dict.fromkeys(domain for cells in named.values() for domain in cells))
        design = CueDesign(domains, **vars(read_section(_Design, keys, WHERE)))
        judges = []
        for name, cells in named.items():
            place = f"{WHERE[:-1]}.judges.{name!r}."
            planted = {domain: _cell(cell, design, f"{place}{domain!r}]") for domain, cell in cells.items()}
            judges.append(SimulatedScoreJudge(name, scale, planted))
        return cls(design, tuple(judges))

    def to_dict(self) -> dict[str, Any]:
        """Return the keys as plain values that `from_dict` reads back to an equal object."""
        design = {key: value for key, value in asdict(self.design).items() if key != "domains"}
        judges = {
            judge.name: {domain: _plain(planted) for domain, planted in judge.planted.items()} for judge in self.judges
        }
        return {"scale": asdict(self.scale), **design, "cues": list(self.design.cues), "judges": judges}

    def truths(self) -> dict[tuple[str, str, str, str], PlantedShift]:
        """Return the true shift and drops by judge, domain, cue and polarity (empty for the placebo)."""
        return {
            place: true for judge in self.judges for place, true in judge.planted_shifts(self._asked(judge)).items()
        }

    def trials(self, seed: Seed) -> pd.DataFrame:
        """Return the trials of all judges, in the columns of the trial table."""
        import pandas as pd

        return pd.concat([judge.answer(self._asked(judge), seed) for judge in self.judges], ignore_index=True)

    def _asked(self, judge: SimulatedScoreJudge) -> CueDesign:
        """Return the design on the domains of one judge, because not every judge meets every domain."""
        rest = {key: value for key, value in vars(self.design).items() if key != "domains"}
        return CueDesign(tuple(judge.planted), **rest)


def _scale(table: Mapping[str, Any]) -> Score:
    if "scale" not in table:
        raise ConfigError(f"{WHERE}: the key 'scale' is missing", allowed="{ lowest = 1, highest = 10, step = 1 }")
    try:
        return read_section(Score, table["scale"], "[simulation.scale]")
    except ValueError as error:
        raise ConfigError(
            f"[simulation.scale]: {error}", allowed="highest = lowest + a whole number of steps"
        ) from error


def _cell(table: Any, design: CueDesign, where: str) -> PlantedScores:
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where} is {table!r}", allowed="a table of keys and values")
    plain = read_section(_Cell, {key: value for key, value in table.items() if key != "effects"}, where)
    effects = {}
    for name, keys in dict(table.get("effects", {})).items():
        variant = read_variant(name)
        if variant not in design.variants():
            raise ConfigError(
                f"{where} effects: the design does not ask {name!r}",
                allowed=", ".join(str(asked) for asked in design.variants()[1:]),
            )
        effects[variant] = read_section(CueEffect, keys, f"{where} effects {name!r}")
    return PlantedScores(**vars(plain), effects=effects)


def _plain(planted: PlantedScores) -> dict[str, Any]:
    out = {key: getattr(planted, key) for key in vars(_Cell())}
    effects = {}
    for variant, effect in planted.effects.items():
        keys = {key: value for key, value in vars(effect).items() if value is not None}
        effects[str(variant)] = keys | {"steps": list(effect.steps), "shares": list(effect.shares)}
    return out | {"effects": effects}
