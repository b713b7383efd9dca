"""Score plan: what a run on scores would do, without fitting anything."""

from __future__ import annotations

from pathlib import Path

from judgestats.study.analysis import Analysis
from judgestats.study.folder import RunCard
from judgestats.study.plan import Plan, lying
from judgestats.study.score_checks import counts, priors
from judgestats.study.score_run import ScoreRun
from judgestats.study.score_setup import ScoreSetup, prepare_scores
from judgestats.trials.variant import Variant

# Seconds of one fit, and for one row of its likelihood under all draws, on one core of a common server: orders of magnitude
# for a plan, not measurements of this machine.
_START = 20.0
_ROW = 0.003


def make_score_plan(analysis: Analysis, data: Path | None, out: Path | None) -> Plan:
    """Read the trials and say what a run would do.

    Parameters
    ----------
    analysis : Analysis
        The analysis.
    data : Path, optional
        Data folder; None for simulated judges.
    out : Path, optional
        Folder of an earlier run.
    """
    setup = prepare_scores(analysis, data)
    # Nothing is written: a run that is only asked what it would find needs no claimed folder.
    run = ScoreRun(setup, out or Path("nowhere"), RunCard(analysis.name))
    finished = () if out is None else run.finished()
    permutations = analysis.falsification.permutations
    stored = run.posteriors.stored()
    return Plan(
        analysis=analysis.name,
        title=analysis.title,
        model=setup.model.name,
        seed=analysis.seed,
        trials=len(setup.table.frame),
        counts=tuple((c.judge, c.domain, str(Variant(c.cue, c.polarity)), c.status, c.n) for c in counts(setup)),
        notices=tuple(notice.text for notice in setup.table.notices),
        priors=priors(setup),
        engines=run.engines(),
        falsification=f"within_item; {permutations} permutations" if permutations else "none",
        finished=finished,
        outdated=tuple(name for name in lying(out) if name not in finished),
        fits=f"{', '.join(stored) or 'none'} stored, the rest to be sampled",
        seconds=_cost(setup),
        by="cue",
    )


def _cost(setup: ScoreSetup) -> float:
    draws = (setup.analysis.engine.draws + setup.analysis.engine.warmup) / 2000
    return sum(_START + _ROW * len(rows.count) * draws for rows in setup.rows.values())
