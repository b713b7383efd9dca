"""Records of score models: every number recomputed from distributions, with counts, outcomes and planted values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_score_fits import (
    CELLS,
    CHAINS,
    DRAWS,
    LEVELS,
    VARIANTS,
    bernoulli_fit,
    difference_fit,
    ordinal_fit,
    status_counts,
)

from judgestats.draws.record import Record
from judgestats.errors import ConfigError
from judgestats.estimands.across_cells import OBSERVED
from judgestats.estimands.catalog import ESTIMANDS
from judgestats.estimands.score_catalog import SCORE_ESTIMANDS, every_estimand, score_estimand
from judgestats.estimands.scores.differences import difference_probabilities
from judgestats.estimands.scores.levels import level_probabilities
from judgestats.estimands.scores.score_records import score_records
from judgestats.report.results import results_schema
from judgestats.spec.model import ModelOptions, ModelSpec, StageSpec
from judgestats.trials.table import Score

SCALE = Score(1, 5)
POINTS = np.array(SCALE.levels)
BASE = np.array([1, 2, 4, 2, 1])
MODEL = ModelSpec("two_stage", "", "", "score", (StageSpec("shift", "", "", "", ()),), ModelOptions(), ())
PLANTED = {(c.judge, c.domain, v.cue, v.polarity): 0.1 * i for c in CELLS for i, v in enumerate(VARIANTS) if i}


@pytest.fixture(scope="module")
def ordinal() -> tuple[Record, ...]:
    fits = {"validity": bernoulli_fit("validity"), "shift": ordinal_fit()}
    return score_records(MODEL, fits, SCALE, status_counts(), planted=PLANTED)


@pytest.fixture(scope="module")
def paired() -> tuple[Record, ...]:
    fits = {
        "validity": bernoulli_fit("validity"),
        "moved": bernoulli_fit("moved", base=BASE),
        "shift": difference_fit(BASE),
    }
    return score_records(MODEL, fits, SCALE, status_counts())


def pick(records: tuple[Record, ...], **wanted: object) -> Record:
    found = [r for r in records if all(getattr(r, k) == v for k, v in wanted.items())]
    assert len(found) == 1, f"{len(found)} records with {wanted}"
    return found[0]


def shifts() -> np.ndarray:
    """Score shift of the ordinal fit, dims (chain, draw, cell, variant), from level probabilities alone."""
    mean = level_probabilities(ordinal_fit()).values @ POINTS
    return mean - mean[..., :1]


def test_cells_are_recomputed_from_distributions(ordinal: tuple[Record, ...], paired: tuple[Record, ...]) -> None:
    where = {"judge": "b", "domain": "x", "cue": "style", "polarity": "neg", "version": "marginal"}
    record = pick(ordinal, estimand="score_shift", **where)
    draws = shifts()[:, :, 2, 4]
    assert record.mean == pytest.approx(draws.mean(), abs=1e-12)
    assert record.sd == pytest.approx(draws.std(), abs=1e-12)
    assert (record.lower, record.upper) == pytest.approx(np.quantile(draws, (0.025, 0.975)), abs=1e-2)
    assert record.p_gt_0 == pytest.approx((draws > 0).mean())
    assert record.p_rope == pytest.approx((np.abs(draws) < 0.15).mean())
    found = difference_probabilities(bernoulli_fit("moved", base=BASE), difference_fit(BASE))["p_difference"]
    steps = np.arange(-LEVELS + 1, LEVELS)
    given = found.values[:, :, 2, 4]
    assert pick(paired, estimand="score_shift", **where).mean == pytest.approx((given @ steps).mean(), abs=1e-12)
    assert pick(paired, estimand="drop_2", **where).mean == pytest.approx(given[..., steps <= -2].sum(-1).mean())


def test_combinations_are_recomputed_from_the_cells(ordinal: tuple[Record, ...]) -> None:
    s = shifts()
    at = {(v.cue, v.polarity): i for i, v in enumerate(VARIANTS)}
    positive = [at["authority", "pos"], at["bandwagon", "pos"], at["style", "pos"]]
    cases = {
        ("a", "y", "asymmetry", "style", None): s[:, :, 1, at["style", "pos"]] + s[:, :, 1, at["style", "neg"]],
        ("a", "y", "score_shift", "positive-3", "pos"): s[:, :, 1, positive].mean(-1),
        ("a", "y", "score_shift", "positive-2", "pos"): s[:, :, 1, [positive[0], positive[2]]].mean(-1),
        ("b", "x", "score_shift", "negative-2", "neg"): s[:, :, 2, [1, 4]].mean(-1),
        ("a", None, "score_shift", "style", "pos"): s[:, :, :2, at["style", "pos"]].mean(-1),
        ("a", None, "score_shift", "positive-3", "pos"): s[:, :, :2][..., positive].mean((-1, -2)),
        (None, "x", "heterogeneity", "style", "pos"): s[:, :, [0, 2], at["style", "pos"]].std(-1, ddof=1),
        ("a", "x", "range_share", "style", "pos"): s[:, :, 0, at["style", "pos"]] / 4.0,
    }
    for (judge, domain, name, cue, polarity), draws in cases.items():
        where = {"judge": judge, "domain": domain, "estimand": name, "cue": cue, "polarity": polarity}
        record = pick(ordinal, version="marginal", **where)
        assert record.mean == pytest.approx(draws.mean(), abs=1e-10), where
        assert record.sd == pytest.approx(draws.std(), abs=1e-10), where
        assert record.target == (OBSERVED if domain is None else None)
    ranks = [r for r in ordinal if r.estimand == "rank" and (r.judge, r.domain) == ("a", "x")]
    # The ranks of five variants add to 15 in every draw, so do their means.
    assert sum(r.mean or 0.0 for r in ranks) == pytest.approx(15.0)


def test_wasserstein_is_at_least_the_shift_everywhere(ordinal: tuple[Record, ...], paired: tuple[Record, ...]) -> None:
    for records in (ordinal, paired):
        seen = 0
        for r in records:
            if r.estimand == "wasserstein1":
                of = {k: getattr(r, k) for k in ("judge", "domain", "cue", "polarity", "version")}
                shift = pick(records, estimand="score_shift", **of)
                assert r.mean is not None
                assert shift.mean is not None
                assert r.mean >= abs(shift.mean) - 1e-12
                assert r.p_gt_0 is None
                seen += 1
        # Five variants of three cells, and their averages over the two domains of judge a.
        assert seen == 20


def test_counts_add_both_sides(ordinal: tuple[Record, ...]) -> None:
    where = {"judge": "a", "domain": "x", "version": "marginal"}
    level = pick(ordinal, estimand="validity", cue="style", polarity="pos", **where)
    assert (level.n_asked, level.n_valid, level.n_lost, level.reference) == (50, 40, {"refusal": 10}, None)
    effect = pick(ordinal, estimand="score_shift", cue="style", polarity="pos", **where)
    assert (effect.n_asked, effect.n_valid, effect.n_lost, effect.reference) == (100, 80, {"refusal": 20}, "base")
    both = pick(ordinal, estimand="asymmetry", cue="style", **where)
    assert (both.n_asked, both.n_lost) == (150, {"refusal": 30})
    average = pick(
        ordinal, judge="a", domain=None, estimand="score_shift", cue="style", polarity="pos", version="marginal"
    )
    assert average.n_asked == 200


def test_worst_case_contains_the_shift_and_widens_with_loss(ordinal: tuple[Record, ...]) -> None:
    where = {"judge": "a", "domain": "x", "cue": "style", "polarity": "pos", "version": "marginal"}
    low, high = (pick(ordinal, estimand=f"worst_case_{end}", **where) for end in ("low", "high"))
    valid = [
        pick(ordinal, estimand="validity", **(where | side)).mean for side in ({"cue": "base", "polarity": ""}, {})
    ]
    assert low.stage == high.stage == "joint"
    # high - low = (lost_base + lost_variant) x width in every draw.
    assert (high.mean or 0) - (low.mean or 0) == pytest.approx((2.0 - sum(v or 0 for v in valid)) * 4.0, abs=1e-9)


def test_paired_quantities_of_an_ordinal_model_are_labelled(
    ordinal: tuple[Record, ...], paired: tuple[Record, ...]
) -> None:
    versions = {name: {r.version for r in ordinal if r.estimand == name} for name in ("drop_1", "drop_2", "cohens_dz")}
    assert set(map(frozenset, versions.values())) == {frozenset({"independent_noise"})}
    assert {r.version for r in paired if r.estimand == "drop_1"} == {"marginal"}


def test_planted_values_follow_the_formulas(ordinal: tuple[Record, ...]) -> None:
    def planted(**wanted: object) -> float | None:
        return pick(ordinal, judge="a", version="marginal", **wanted).planted

    assert planted(domain="x", estimand="score_shift", cue="style", polarity="pos") == pytest.approx(0.5)
    assert planted(domain="x", estimand="range_share", cue="style", polarity="pos") == pytest.approx(0.125)
    assert planted(domain="x", estimand="asymmetry", cue="style") == pytest.approx(0.9)
    assert planted(domain="x", estimand="score_shift", cue="positive-3") == pytest.approx(1.0 / 3.0)
    assert planted(domain=None, estimand="score_shift", cue="style", polarity="pos") == pytest.approx(0.5)
    assert planted(domain="x", estimand="rank", cue="style", polarity="pos") == 1.0
    assert planted(domain="x", estimand="wasserstein1", cue="style", polarity="pos") is None


def test_what_is_not_estimable_has_no_numbers() -> None:
    fit = ordinal_fit()
    keep = ~((fit.rows.cell == 0) & (fit.rows.variant == 5))
    rows = replace(fit.rows, **{n: getattr(fit.rows, n)[keep] for n in ("cell", "item", "variant", "outcome", "count")})
    counts = status_counts()
    asked = counts[~((counts["judge"] == "b") & (counts["cue"] == "bandwagon"))]
    records = score_records(MODEL, {"shift": replace(fit, rows=rows)}, SCALE, asked)
    where = {"judge": "a", "domain": "x", "cue": "style", "polarity": "pos", "version": "marginal"}
    record = pick(records, estimand="score_shift", **where)
    assert (record.outcome, record.mean, record.lower, record.n_asked) == ("not estimable", None, None, 100)
    assert not [r for r in records if r.judge == "b" and r.cue == "bandwagon"]
    assert not [r for r in records if r.estimand.startswith(("worst_case", "validity"))]
    # Averages and ranks leave the empty cell out; the aggregate needs all of its members.
    assert len([r for r in records if r.estimand == "rank" and (r.judge, r.domain) == ("a", "x")]) == 4
    assert pick(records, judge="a", domain="x", cue="positive-3").outcome == "not estimable"


def test_instability_needs_repeats() -> None:
    once = score_records(MODEL, {"shift": ordinal_fit()}, SCALE, status_counts(), most=20)
    again = score_records(MODEL, {"shift": ordinal_fit(repeats=3)}, SCALE, status_counts(), most=20)
    assert not [r for r in once if r.estimand == "instability"]
    found = [r for r in again if r.estimand == "instability"]
    assert len(found) == len(CELLS) * len(VARIANTS)
    assert all(0.0 < (r.mean or 0.0) < 2.0 and r.p_gt_0 is None for r in found)


def test_gate_and_chains(ordinal: tuple[Record, ...]) -> None:
    record = pick(
        ordinal, judge="a", domain="x", estimand="score_shift", cue="style", polarity="pos", version="marginal"
    )
    # 100 independent draws cannot have 400 effective ones.
    assert CHAINS * DRAWS < 400
    assert record.gate == "fail"
    assert record.rhat == pytest.approx(1.0, abs=0.1)
    assert record.mcse is not None


def test_every_record_is_in_catalog_and_schema(ordinal: tuple[Record, ...], paired: tuple[Record, ...]) -> None:
    properties = results_schema()["properties"]["records"]["items"]["properties"]
    assert properties["estimand"]["enum"] == list(every_estimand())
    for r in (*ordinal, *paired):
        entry = SCORE_ESTIMANDS[r.estimand]
        assert r.scale == entry.scale
        assert r.scale in properties["scale"]["enum"]
        assert (r.outcome is None) == (entry.null is None)
        assert (r.p_gt_0 is None) == (entry.lowest >= 0)
        assert r.lower is not None
        assert r.upper is not None
        assert entry.lowest <= r.lower <= r.upper <= entry.highest
    assert {e.scale for e in ESTIMANDS.values()} <= set(properties["scale"]["enum"])
    with pytest.raises(ConfigError, match="score_shift"):
        score_estimand("score_shif")
