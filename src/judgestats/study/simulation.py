"""Simulation: the section of an analysis whose trials come from simulated judges with planted values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judgestats.design.association import LABELS, association_test
from judgestats.errors import ConfigError, near_match
from judgestats.seeds import Seed
from judgestats.study.section import read_section, reject_unknown, section_dict
from judgestats.study.simulated_cues import CueSimulation
from judgestats.trials.table import Choice, Score, Verdict

if TYPE_CHECKING:
    import pandas as pd

    from judgestats.judges.simulated import PlantedBias

DESIGNS = ("association", "cues")


@dataclass(frozen=True)
class SimulatedCell:
    """What one simulated judge does in one domain; the fields of ``PlantedBias``."""

    p_congruent: float
    delta_p: float
    item_sd: float = 0.8
    refusal_congruent: float = 0.0
    refusal_incongruent: float = 0.0

    def bias(self) -> PlantedBias:
        """Return the planted bias, checked."""
        from judgestats.judges.simulated import PlantedBias

        return PlantedBias(
            self.p_congruent, self.delta_p, self.item_sd, self.refusal_congruent, self.refusal_incongruent
        )


@dataclass(frozen=True)
class Simulation:
    """Simulated judges and the design that they answer.

    Parameters
    ----------
    seed : int
        Seed of the answers, apart from the seed of the analysis: another analysis seed keeps the trials.
    judges : dict of str to dict of str to SimulatedCell
        Planted values by judge and domain of the association design; empty for the cue design.
    design : {"association", "cues"}
        Which questions are asked.
    cues : CueSimulation, optional
        Scale, design and planted values of score judges; given exactly where the design is ``cues``.
    """

    seed: int
    judges: dict[str, dict[str, SimulatedCell]]
    design: str = "association"
    cues: CueSimulation | None = None

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Simulation:
        """Read the section ``[simulation]``; ConfigError for what is unknown or impossible."""
        design = table.get("design", "association")
        if design not in DESIGNS:
            raise ConfigError(
                f"[simulation] design is {design!r}",
                allowed=", ".join(DESIGNS),
                remedy=near_match(str(design), DESIGNS),
            )
        keys = ("scale", "items", "cues", "wordings", "repeats") if design == "cues" else ()
        reject_unknown(table, ("design", "seed", "judges", *keys), "[simulation]")
        seed = table.get("seed")
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            raise ConfigError(f"[simulation] seed is {seed!r}", allowed="a whole number, 0 or more")
        if design == "cues":
            return cls(seed, {}, design, CueSimulation.from_dict(table))
        judges: dict[str, dict[str, SimulatedCell]] = {}
        for judge, domains in dict(table.get("judges", {})).items():
            judges[judge] = {
                domain: read_section(SimulatedCell, values, f"[simulation.judges.{judge!r}.{domain!r}]")
                for domain, values in dict(domains).items()
            }
            for domain, cell in judges[judge].items():
                association_test(domain)
                cell.bias()
        if not judges:
            raise ConfigError("[simulation] names no judge", allowed='tables [simulation.judges."NAME"."DOMAIN"]')
        return cls(seed, judges, design)

    def to_dict(self) -> dict[str, Any]:
        """Return the section as plain values that `from_dict` reads back."""
        if self.cues is not None:
            return {"design": self.design, "seed": self.seed, **self.cues.to_dict()}
        judges = {
            judge: {domain: section_dict(cell) for domain, cell in cells.items()}
            for judge, cells in self.judges.items()
        }
        return {"design": self.design, "seed": self.seed, "judges": judges}

    def planted(self) -> dict[tuple[str, str], float]:
        """Return the planted marginal Delta P by judge and domain; empty for the cue design."""
        return {(judge, domain): cell.delta_p for judge, cells in self.judges.items() for domain, cell in cells.items()}

    def planted_shifts(self) -> dict[tuple[str, str, str, str], float]:
        """Return the planted score shift by judge, domain, cue and polarity, score points; empty without cues."""
        return {} if self.cues is None else {place: true.score_shift for place, true in self.cues.truths().items()}

    def labels(self) -> tuple[str, ...]:
        """Return the response labels of the design; none where verdicts are scores."""
        return LABELS if self.cues is None else ()

    def scale(self) -> Score | None:
        """Return the scale of the scores; None where verdicts are choices."""
        return None if self.cues is None else self.cues.scale

    def verdict(self) -> Verdict:
        """Return the verdict kind of the trials."""
        return self.scale() or Choice(LABELS)

    def trials(self) -> pd.DataFrame:
        """Return the trials of all simulated judges, in the columns of the trial table."""
        if self.cues is not None:
            return self.cues.trials(Seed(self.seed))
        import pandas as pd

        from judgestats.judges.simulated import SimulatedJudge

        frames = []
        for name, cells in self.judges.items():
            judge = SimulatedJudge(name, {domain: cell.bias() for domain, cell in cells.items()})
            questions = [question for domain in cells for question in association_test(domain).questions()]
            frames.append(judge.answer(questions, Seed(self.seed)))
        return pd.concat(frames, ignore_index=True)
