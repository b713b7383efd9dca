"""Our ordinal model on the published example tables beside the GLMs published for them: the same conclusions.

The published ordered model has one set of cuts for all answers, cut priors of sd .2 and .3 and gaps of .3 or more, and
graders and LLMs as sums of zero-sum effects; ours has a set of thresholds for each LLM, a flat prior over the levels, and
the human as the base. So signs, what an interval excludes and the order of effects must agree, and shifts in points to
within the width that those priors move them by, which the raw difference of means shows; logits need not.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import frozen_reference as frozen
import numpy as np
import pandas as pd
import pytest
import score_reference as scores
from numpy.typing import NDArray

from judgestats.draws.score_fit import ScoreFit
from judgestats.inference.contract import EngineSettings
from judgestats.inference.score_stage import fit_score_stage
from judgestats.seeds import Seed
from judgestats.trials.cell import Cell
from judgestats.trials.score_rows import ScoreRows
from judgestats.trials.variant import Variant

Array = NDArray[np.float64]
LEVELS = 11
EXPECTED = {
    ("q1", "ordered"): 2,
    ("q1", "linear"): 1,
    ("q2", "ordered"): 10,
    ("q2", "linear"): 6,
    ("q3", "hierarchical"): 13,
    ("q4", "ordered"): 8,
    ("q4", "linear"): 8,
    ("q5", "pairwise"): 4,
}


@cache
def reference(question: str, model: str) -> dict[str, dict[str, float]]:
    found = [r for r in frozen.rows("hibayes_reference.csv") if (r["question"], r["model"]) == (question, model)]
    named = ("question", "model", "quantity")
    return {row["quantity"]: {k: float(v) for k, v in row.items() if k not in named} for row in found}


def table(folder: Path, question: str) -> pd.DataFrame:
    return pd.read_csv(folder / "hibayes_judge_csv" / f"{question}.csv")


def score_rows(frame: pd.DataFrame) -> ScoreRows:
    """Return rows with the LLM as the domain, the grader as the variant and the first human as the base."""
    humans = sorted(name for name in frame["grader"].unique() if name.startswith("Human"))
    graders = [humans[0], *sorted(set(frame["grader"]) - {humans[0]})]
    llms = sorted(frame["LLM"].unique())
    counts = frame.groupby(["LLM", "grader", "score"]).size()
    keys = sorted((llms.index(m), graders.index(g), int(s), int(n)) for (m, g, s), n in counts.items())
    cell, variant, outcome, count = (np.array(column, dtype=np.int64) for column in zip(*keys, strict=True))
    return ScoreRows(
        stage="shift",
        cells=tuple(Cell("grader", llm) for llm in llms),
        items=tuple(("all",) for _ in llms),
        variants=(Variant(), *(Variant(name) for name in graders[1:])),
        outcomes=LEVELS,
        cell=cell,
        item=np.zeros_like(cell),
        variant=variant,
        outcome=outcome,
        count=count,
    )


@cache
def fitted(folder: Path, question: str) -> ScoreFit:
    """Return our fit without item effects: these tables hold one score a row and no item."""
    rows = score_rows(table(folder, question))
    return fit_score_stage(scores.shift_stage(items=False), rows, EngineSettings(Seed(20261201)))


def ours(fit: ScoreFit) -> dict[str, Array]:
    """Return draws of effects and shifts against the mean of the human graders, under the names of the reference."""
    names = ["Human", *(variant.cue for variant in fit.rows.variants[1:])]
    human = [i for i, name in enumerate(names) if name.startswith("Human")]
    out = {}
    for m, cell in enumerate(fit.rows.cells):
        at = fit.posterior.isel(cell=m)
        effect, threshold = at["effect"].to_numpy(), at["threshold"].to_numpy()
        score = (1 / (1 + np.exp(threshold[..., None, :] - effect[..., :, None]))).sum(axis=-1)
        for v, name in enumerate(names):
            if v not in human:
                out[f"effect[{name}|{cell.domain}]"] = effect[..., v] - effect[..., human].mean(axis=-1)
                out[f"shift[{name}|{cell.domain}]"] = score[..., v] - score[..., human].mean(axis=-1)
    return out


def sign(low: float, high: float) -> int:
    """Return 1 or -1 where an interval lies on one side of 0, else 0."""
    return int(low > 0) - int(high < 0)


def raw_shift(frame: pd.DataFrame, grader: str, llm: str) -> float:
    means = frame[frame["LLM"] == llm].groupby("grader")["score"].mean()
    return float(means[grader] - means[[name for name in means.index if name.startswith("Human")]].mean())


def test_reference_is_itself_converged() -> None:
    found = frozen.rows("hibayes_reference.csv")
    sizes = {key: sum((row["question"], row["model"]) == key for row in found) for key in EXPECTED}
    assert sizes == EXPECTED
    assert len(found) == sum(sizes.values())
    assert max(float(row["rhat"]) for row in found) < 1.01
    assert min(float(row["ess_bulk"]) for row in found) > 400
    # 5 of the 4,000 draws of q3: two type sds from three graders each, under half-Cauchy priors, as published.
    assert max(int(row["divergent"]) for row in found) <= 5


@pytest.mark.parametrize("question", ["q1", "q2"])
def test_linear_reference_is_the_difference_of_raw_means(shared_data: Path, question: str) -> None:
    """With wide priors and a free mean for every grader and LLM the posterior mean is the difference of cell means.

    Effects N(0, 2) beside standard errors near .13 shrink by (.13 / 2)^2 < .5 %, of at most 2.7 points: under .02.
    """
    frame = table(shared_data, question)
    for name, row in reference(question, "linear").items():
        if name.startswith("effect"):
            grader, llm = name[7:-1].split("|")
            assert row["mean"] == pytest.approx(raw_shift(frame, grader, llm), abs=0.02 + 4 * row["mcse_mean"])


@pytest.mark.sampling
@pytest.mark.parametrize(
    ("question", "model"), [("q1", "ordered"), ("q2", "ordered"), ("q3", "hierarchical"), ("q4", "ordered")]
)
def test_same_conclusion_on_every_grader_and_llm(shared_data: Path, question: str, model: str) -> None:
    found, theirs = ours(fitted(shared_data, question)), reference(question, model)
    names = [name for name in theirs if name.startswith("effect")]
    assert names
    for name in names:
        low, high = np.quantile(found[name], [0.025, 0.975])
        assert sign(low, high) == sign(theirs[name]["q025"], theirs[name]["q975"]) == -1, name


@pytest.mark.sampling
def test_unused_low_levels_leave_the_gate_passed(shared_data: Path) -> None:
    """Table q1 uses levels 4 to 8 of 0 to 10: four thresholds below the lowest answer are held by the prior alone."""
    fit = fitted(shared_data, "q1")
    assert all(row.status == "pass" for row in fit.gate), [row for row in fit.gate if row.status != "pass"]


@pytest.mark.sampling
@pytest.mark.parametrize("question", ["q1", "q2"])
def test_shifts_in_points_lie_with_the_raw_means_and_near_the_published_models(
    shared_data: Path, question: str
) -> None:
    frame, found = table(shared_data, question), ours(fitted(shared_data, question))
    for name, row in reference(question, "ordered").items():
        if name.startswith("shift"):
            draws = found[name]
            raw = raw_shift(frame, *name[6:-1].split("|"))
            assert abs(float(draws.mean()) - raw) < float(draws.std()), name
            # Their cut priors move expected scores by a tenth of a point; two posterior sds hold both.
            assert abs(float(draws.mean()) - row["mean"]) < 2 * np.hypot(float(draws.std()), row["sd"]), name
            linear = reference(question, "linear")[name.replace("shift", "effect")]
            assert abs(float(draws.mean()) - linear["mean"]) < float(draws.std()), name


@pytest.mark.sampling
def test_same_conclusion_on_self_favouring(shared_data: Path) -> None:
    """Autograder A favours LLM A beyond the human; Autograder B's raw excess for A, 1.52 - 1.77 points, is less sure."""
    found = ours(fitted(shared_data, "q2"))
    for grader in ("Autograder A", "Autograder B"):
        draws = found[f"effect[{grader}|LLM A]"] - found[f"effect[{grader}|LLM B]"]
        theirs = reference("q2", "ordered")[f"interaction[{grader}]"]
        assert np.sign(draws.mean()) == np.sign(theirs["mean"])
        assert abs(float(draws.mean()) - theirs["mean"]) < 2 * np.hypot(float(draws.std()), theirs["sd"])
        if grader == "Autograder A":
            low, high = np.quantile(draws, [0.025, 0.975])
            assert sign(low, high) == sign(theirs["q025"], theirs["q975"]) == 1


@pytest.mark.sampling
def test_same_conclusion_on_the_type_of_grader(shared_data: Path) -> None:
    """Three autograders grade lower than three humans; with three of each the type means stay less sure than any grader."""
    found = ours(fitted(shared_data, "q3"))
    mean = np.mean([x for name, x in found.items() if name.startswith("effect")], axis=0)
    theirs = reference("q3", "hierarchical")["type[Autograder - Human]"]
    assert float(np.quantile(mean, 0.975)) < 0
    assert theirs["mean"] < 0
    assert theirs["sd"] > 2 * float(mean.std())


def test_length_slope_of_the_autograder_exceeds_that_of_the_human(shared_data: Path) -> None:
    """Raw correlations of length difference and choice: .11 human, .65 autograder."""
    frame = table(shared_data, "q5")
    raw = {
        g: float(np.corrcoef(part["length_diff"], part["first_is_chosen"])[0, 1]) for g, part in frame.groupby("grader")
    }
    assert raw["Autograder"] == pytest.approx(0.65, abs=0.01)
    assert raw["Human"] == pytest.approx(0.11, abs=0.01)
    theirs = reference("q5", "pairwise")
    assert theirs["slope[Autograder]"]["q025"] > theirs["slope[Human]"]["q975"]
    assert theirs["slope[Autograder - Human]"]["q025"] > 0
