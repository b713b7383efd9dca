"""Analysis: one question with everything that was fixed before the data were fitted, as a frozen object."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from judgestats.errors import ConfigError
from judgestats.inference.contract import EngineSettings, Progress
from judgestats.seeds import Seed
from judgestats.spec.model import ModelOptions
from judgestats.study.score_section import ScoreSection
from judgestats.study.section import read_section, reject_unknown, section_dict
from judgestats.study.simulation import Simulation
from judgestats.trials.mapping import TrialsSource
from judgestats.trials.near_path import near_path

FILE_NAME = "analysis.toml"

EngineName = Literal["auto", "exact", "numpyro", "pymc", "laplace"]
DEFAULT_ROPES: dict[str, float] = {"choice": 0.02, "score": 0.15}
"""Half-width of the ROPE by verdict kind, where an analysis names none."""

Scheme = Literal["auto", "within_item", "between_items", "between_clusters", "within_judge"]


@dataclass(frozen=True)
class EngineSection:
    """``[engine]``: how posteriors are computed.

    Parameters
    ----------
    name : str
        Engine; ``auto`` takes the exact one where it serves and says why.
    check : str, optional
        A second engine that refits both stages; agreement is a row of the gate.
    chains, warmup, draws : int
        NUTS settings; the exact engine stores `draws` stratified draws in each of 4 chains.
    target_accept : float
        NUTS target acceptance rate.
    """

    name: EngineName = "auto"
    check: Literal["exact", "numpyro", "pymc"] | None = None
    chains: int = 4
    warmup: int = 1000
    draws: int = 1000
    target_accept: float = 0.9


@dataclass(frozen=True)
class DecisionSection:
    """``[decision]``: the rule, fixed beforehand.

    Parameters
    ----------
    rope : float, optional
        Half-width of the region of practical equivalence: of Delta P on the probability scale (0.02 where it is left
        out), of a score shift in score points (0.15).
    ci_prob : float
        Probability of the intervals, in (0, 1).
    ci_kind : {"eti", "hdi"}
        Equal-tailed or highest density.
    rule : str
        The rule in words, printed on every page.
    """

    rope: float | None = None
    ci_prob: float = 0.95
    ci_kind: Literal["eti", "hdi"] = "eti"
    rule: str = ""

    def __post_init__(self) -> None:
        if self.rope is not None and not (0.0 < self.rope < float("inf")):
            raise ConfigError(f"[decision] rope is {self.rope:g}", allowed="a half-width above 0")
        if not 0.5 <= self.ci_prob < 1.0:
            raise ConfigError(f"[decision] ci_prob is {self.ci_prob:g}", allowed="0.5 to below 1, such as 0.95")

    def half_width(self, verdict: str) -> float:
        """Return the half-width of the ROPE for a verdict kind.

        Raises
        ------
        ConfigError
            If Delta P, a difference of probabilities, is given a half-width of 1 or more.
        """
        if verdict == "choice" and self.rope is not None and self.rope >= 1.0:
            raise ConfigError(f"[decision] rope is {self.rope:g}", allowed="a half-width between 0 and 1")
        return DEFAULT_ROPES[verdict] if self.rope is None else self.rope

    def words(self, verdict: str = "choice") -> str:
        """Return the rule in words; the default one where the analysis gives none."""
        effect = "Delta P" if verdict == "choice" else "the score shift, in score points,"
        half = self.half_width(verdict)
        return self.rule or (
            f"An effect counts as beyond the region of practical equivalence when the {100 * self.ci_prob:g} % interval of "
            f"{effect} lies outside [-{half:g}, {half:g}], as inside when the interval lies within it, and as "
            "undecided otherwise."
        )


@dataclass(frozen=True)
class FalsificationSection:
    """``[falsification]``: permutation of block labels.

    Parameters
    ----------
    schemes : tuple of str
        ``auto`` takes the scheme that the design calls for.
    permutations : int
        Refits for each scheme; 0 switches falsification off.
    rank_refits : int
        Full refits that show whether the raw difference ranks permuted data as the posterior mean does, where one refit takes
        over 0.1 s; 0 leaves that unchecked, and the page says so.
    """

    schemes: tuple[Scheme, ...] = ("auto", "within_judge")
    permutations: int = 1000
    rank_refits: int = 20


@dataclass(frozen=True)
class SensitivitySection:
    """``[sensitivity]``: which alternative analyses stand beside the main one."""

    prior_grid: bool = True
    power_scaling: bool = True
    loss_rules: bool = True
    leave_one_item_out: bool = True
    pooling: bool = False


@dataclass(frozen=True)
class ReportSection:
    """``[report]``: what the pages say about the design.

    Parameters
    ----------
    limitations : tuple of str
        Sentences on stimuli, language, snapshot date, temperature.
    effect_name, effect_definition : str
        What Delta P means in this design.
    judges, domains : tuple of str
        Order on the index; names that are absent follow in alphabetical order.
    """

    limitations: tuple[str, ...] = ()
    effect_name: str = "Delta P"
    effect_definition: str = "P(consistent | congruent, valid) - P(consistent | incongruent, valid)"
    judges: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()


@dataclass(frozen=True)
class Planted:
    """``[[planted]]``: a known true marginal Delta P of one cell, for simulated trials that are read from files."""

    judge: str
    domain: str
    delta_p: float


_SECTIONS: dict[str, type] = {
    "options": ModelOptions,
    "engine": EngineSection,
    "decision": DecisionSection,
    "falsification": FalsificationSection,
    "sensitivity": SensitivitySection,
    "report": ReportSection,
    "scores": ScoreSection,
}
_PLAIN = ("name", "title", "question", "design", "model", "seed")
_KEYS = (*_PLAIN, "trials", "simulation", *_SECTIONS, "planted")


@dataclass(frozen=True)
class Analysis:
    """One analysis; exactly one of `trials` and `simulation` is given.

    Parameters
    ----------
    name, title, question, design : str
        Identity, the question, and how the trials came about.
    model : str
        Name of a folder in ``models/``.
    seed : int
        Root seed of everything random in the analysis.
    trials : dict, optional
        The section ``[trials]`` as written; `source` reads it.
    simulation : Simulation, optional
        Simulated judges in place of files.
    options, engine, decision, falsification, sensitivity, report, scores : sections
        See each class.
    planted : tuple of Planted
        Known true values of cells.
    """

    name: str
    title: str
    question: str
    model: str
    seed: int
    design: str = ""
    trials: dict[str, Any] | None = None
    simulation: Simulation | None = None
    options: ModelOptions = field(default_factory=ModelOptions)
    engine: EngineSection = field(default_factory=EngineSection)
    decision: DecisionSection = field(default_factory=DecisionSection)
    falsification: FalsificationSection = field(default_factory=FalsificationSection)
    sensitivity: SensitivitySection = field(default_factory=SensitivitySection)
    report: ReportSection = field(default_factory=ReportSection)
    scores: ScoreSection = field(default_factory=ScoreSection)
    planted: tuple[Planted, ...] = ()

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Analysis:
        """Read a whole analysis file as TOML gives it.

        Raises
        ------
        ConfigError
            For unknown or missing keys, values of another type, and a table with both or neither of ``[trials]`` and
            ``[simulation]``.
        """
        reject_unknown(table, _KEYS, FILE_NAME)
        values: dict[str, Any] = {key: _plain(table, key) for key in _PLAIN if key in table}
        for key in ("name", "title", "question", "model", "seed"):
            if key not in values:
                raise ConfigError(f"{FILE_NAME}: the key {key!r} is missing", allowed=", ".join(_KEYS))
        if ("trials" in table) == ("simulation" in table):
            given = "both" if "trials" in table else "neither"
            raise ConfigError(
                f"{FILE_NAME} has {given} of [trials] and [simulation]",
                allowed="one of them: files to read, or simulated judges",
            )
        if "trials" in table:
            TrialsSource.from_dict(table["trials"])
            values["trials"] = dict(table["trials"])
        else:
            values["simulation"] = Simulation.from_dict(table["simulation"])
        for key, kind in _SECTIONS.items():
            if key in table:
                values[key] = read_section(kind, table[key], f"[{key}]")
        values["planted"] = tuple(read_section(Planted, row, "[[planted]]") for row in table.get("planted", ()))
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as plain values that `from_dict` reads back to an equal object."""
        out: dict[str, Any] = {key: getattr(self, key) for key in _PLAIN}
        if self.trials is not None:
            out["trials"] = self.trials
        if self.simulation is not None:
            out["simulation"] = self.simulation.to_dict()
        for key in _SECTIONS:
            out[key] = section_dict(getattr(self, key))
        out["planted"] = [section_dict(row) for row in self.planted]
        return out

    def source(self) -> TrialsSource:
        """Return where the trials are read from; ConfigError for an analysis with simulated judges."""
        if self.trials is None:
            raise ConfigError(
                f"analysis {self.name!r} has simulated judges and reads no files",
                remedy="leave out --data, or give it a [trials] section",
            )
        return TrialsSource.from_dict(self.trials)

    def settings(self, progress: Progress | None = None) -> EngineSettings:
        """Return how engines run."""
        engine = self.engine
        return EngineSettings(
            seed=Seed(self.seed),
            chains=engine.chains,
            warmup=engine.warmup,
            draws=engine.draws,
            target_accept=engine.target_accept,
            progress=progress,
        )

    def planted_values(self) -> dict[tuple[str, str], float]:
        """Return known true values of the marginal Delta P by judge and domain; empty for real trials."""
        values = {} if self.simulation is None else self.simulation.planted()
        return values | {(row.judge, row.domain): row.delta_p for row in self.planted}


def _plain(table: Mapping[str, Any], key: str) -> Any:
    value = table[key]
    if key == "seed":
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ConfigError(f"{FILE_NAME}: seed is {value!r}", allowed="a whole number, 0 or more")
    elif not isinstance(value, str):
        raise ConfigError(f"{FILE_NAME}: {key} is {value!r}", allowed="text in quotes")
    return value


def load_analysis(path: Path) -> Analysis:
    """Read an analysis from a folder that holds ``analysis.toml``, or from the file itself.

    Raises
    ------
    ConfigError
        If there is no such file, it is not TOML, or a key or value is wrong.
    """
    file = path / FILE_NAME if path.is_dir() else path
    if not file.is_file():
        given = f"the folder {path} holds no {FILE_NAME}" if path.is_dir() else f"there is no analysis at {path}"
        raise ConfigError(
            given,
            allowed=f"a folder with {FILE_NAME}, or such a file",
            remedy=near_path(file) or "check the path; `judgestats validate FILE` reads a bare table of trials",
        )
    try:
        table = tomllib.loads(_text(file))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}", remedy="mend the line named above") from error
    return Analysis.from_dict(table)


def _text(file: Path) -> str:
    raw = file.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{file} is not UTF-8: line {line}, byte {error.start} of the file (0x{raw[error.start]:02x})",
            allowed="text in UTF-8",
            remedy="save it as UTF-8 (a Latin-1 or Windows-1252 file: iconv -f WINDOWS-1252 -t UTF-8)",
        ) from error
