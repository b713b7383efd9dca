"""Trial table: validated trials in the project's own words, with what was noticed while reading them."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from judgestats.errors import ConfigError
from judgestats.trials.cell import Cell
from judgestats.trials.variant import BASE_CUE


@dataclass(frozen=True)
class Choice:
    """A verdict of kind choice.

    Parameters
    ----------
    labels : tuple of str
        Declared response labels; a valid answer is one of them. Empty when the table carries `consistent` only.
    free_assignment : bool
        Whether no block instructs the judge and every item stands on one side only. `consistent` then means the
        stereotyped label in both blocks, and Delta P, the difference of one label's probability between the sides, is
        P(consistent | congruent, valid) + P(consistent | incongruent, valid) - 1.
    """

    labels: tuple[str, ...] = ()
    free_assignment: bool = False


@dataclass(frozen=True)
class Score:
    """A verdict of kind score: a number on a declared scale.

    Parameters
    ----------
    lowest, highest : float
        Ends of the scale.
    step : float
        Distance of neighbouring levels, positive; the scale holds a whole number of steps.
    """

    lowest: float
    highest: float
    step: float = 1.0

    def __post_init__(self) -> None:
        steps = (self.highest - self.lowest) / self.step if self.step > 0 else 0.0
        if not (steps >= 1 and abs(steps - round(steps)) < 1e-9):
            raise ValueError(
                f"a scale from {self.lowest:g} to {self.highest:g} holds no whole number of steps of {self.step:g}"
            )

    @property
    def levels(self) -> tuple[float, ...]:
        """Every level of the scale, ascending, whether or not it was used."""
        return tuple(self.lowest + self.step * k for k in range(round((self.highest - self.lowest) / self.step) + 1))

    @property
    def width(self) -> float:
        """Range of the scale, in score points."""
        return self.highest - self.lowest


Verdict = Choice | Score


@dataclass(frozen=True)
class SourceFile:
    """One file that trials were read from.

    Parameters
    ----------
    path : str
        Path relative to the data folder, with forward slashes.
    sha256 : str
        Digest of the bytes on disk.
    rows : int
        Rows read.
    """

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True)
class Notice:
    """Something a reader of the report must know about the input.

    Parameters
    ----------
    code : str
        Stable short name, e.g. ``duplicated``, ``one_block``, ``few_items``, ``no_block``.
    text : str
        One sentence with the numbers in it.
    count : int
        How many rows or cells it concerns.
    """

    code: str
    text: str
    count: int


@dataclass(frozen=True)
class TrialTable:
    """Trials, one row each, canonically sorted.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns ``judge domain item status`` (str); for choices ``response`` (str or NA) and ``consistent`` (nullable
        boolean; NA unless the status is valid), for scores ``score`` (float, score points; NaN unless the status is
        valid); design columns where they apply (``block`` is ``congruent``, ``incongruent`` or NA; in tables of scores
        ``cue`` is ``base`` or a name and ``polarity`` ``pos``, ``neg`` or NA); further columns pass through.
    verdict : Choice or Score
        The declared verdict kind.
    sources : tuple of SourceFile
        Files read.
    notices : tuple of Notice
        What was noticed; nothing is dropped without one.
    """

    frame: pd.DataFrame
    verdict: Verdict
    sources: tuple[SourceFile, ...] = ()
    notices: tuple[Notice, ...] = field(default=())

    @property
    def choice(self) -> Choice:
        """Return the verdict of a table of choices; ConfigError where verdicts are of another kind."""
        if not isinstance(self.verdict, Choice):
            raise ConfigError(
                f"a model of choices was given trials whose verdict is a {type(self.verdict).__name__.lower()}",
                allowed="trials with the verdict `consistent`",
                remedy="choose two_stage_ordinal or two_stage_shift for scores",
            )
        return self.verdict

    @property
    def score(self) -> Score:
        """Return the scale of a table of scores; ConfigError where verdicts are of another kind."""
        if not isinstance(self.verdict, Score):
            raise ConfigError(
                f"a model of scores was given trials whose verdict is a {type(self.verdict).__name__.lower()}",
                allowed="a section [trials.score] with lowest, highest and step",
                remedy="declare the scale, or choose two_stage_association for choices",
            )
        return self.verdict

    def cells(self) -> tuple[Cell, ...]:
        """Return the judge x domain cells, sorted."""
        pairs = self.frame[["judge", "domain"]].drop_duplicates()
        return tuple(sorted(Cell(str(j), str(d)) for j, d in pairs.itertuples(index=False)))

    def status_counts(self) -> pd.DataFrame:
        """Return counts with columns ``judge domain block status n``; a missing block is the string ``none``.

        A row of an aggregated table (column ``n``) counts as many trials as it stands for. `variant_counts` counts by
        cue and polarity.
        """
        keys = ["judge", "domain", "block", "status"]
        block = self.frame["block"].fillna("none") if "block" in self.frame else "none"
        weight = self.frame.get("n", 1)
        frame = self.frame[["judge", "domain", "status"]].assign(block=block, n=weight)
        return frame.groupby(keys, observed=True)["n"].sum().reset_index()

    def variant_counts(self) -> pd.DataFrame:
        """Return counts with columns ``judge domain cue polarity status n``; no cue is ``base``, no polarity empty."""
        keys = ["judge", "domain", "cue", "polarity", "status"]
        cue = self.frame["cue"].fillna(BASE_CUE) if "cue" in self.frame else BASE_CUE
        polarity = self.frame["polarity"].fillna("") if "polarity" in self.frame else ""
        frame = self.frame[["judge", "domain", "status"]].assign(cue=cue, polarity=polarity, n=self.frame.get("n", 1))
        return frame.groupby(keys, observed=True)["n"].sum().reset_index()
