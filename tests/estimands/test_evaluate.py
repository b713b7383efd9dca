"""All records of a run: mirror images, counts, what is marked not estimable, and plain arithmetic behind each number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hand_made_fits import drop_block, exact_fit, make_counts, nuts_fit, statuses
from scipy.special import expit

from judgestats.draws.fit import StageFit
from judgestats.draws.gate import GateRow
from judgestats.draws.record import Record
from judgestats.estimands.catalog import ESTIMANDS
from judgestats.estimands.evaluate import evaluate
from judgestats.estimands.prior_mass import prior_parameters, prior_probabilities
from judgestats.inference.quadrature import logistic_normal_mean
from judgestats.seeds import Seed
from judgestats.spec.catalog import load_model
from judgestats.spec.model import ModelOptions, ModelSpec
from judgestats.trials.cell import Cell

CELLS = (Cell("a/b", "x"), Cell("a/b", "y"), Cell("c", "x"), Cell("c", "y"))
MEANS = {CELLS[0]: (3.0, 1.0), CELLS[1]: (2.5, 0.0), CELLS[2]: (3.5, -0.5), CELLS[3]: (1.0, 0.4)}
VALID = {cell: (4.0, 0.3 * i) for i, cell in enumerate(CELLS)}
SEED = Seed(11)
ITEMS = 12


def model(**options: str) -> ModelSpec:
    return load_model("two_stage_association", ModelOptions(**options), [])  # type: ignore[arg-type]


def successes(sign: float = 1.0) -> np.ndarray:
    """Ones but for a few misses, more of them in the second block; `sign` swaps the blocks."""
    found = np.ones((4, ITEMS, 2))
    found[:, :3, 1] = 0
    found[:, 0, 0] = 0
    return found if sign > 0 else found[..., ::-1]


def run(sign: float = 1.0, **settings: object) -> tuple[Record, ...]:
    validity = make_counts("validity", CELLS, ITEMS, np.ones((4, ITEMS, 2)))
    shift = make_counts("shift", CELLS, ITEMS, successes(sign))
    fits = {"validity": exact_fit(validity, VALID, 1, sign), "shift": exact_fit(shift, MEANS, 2, sign)}
    return evaluate(model(), fits, seed=SEED, status_counts=statuses(validity), **settings)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def records() -> tuple[Record, ...]:
    return run(planted={(c.judge, c.domain): 0.01 * i for i, c in enumerate(CELLS)})


def one(records: tuple[Record, ...], estimand: str, cell: Cell = CELLS[0], **keys: object) -> Record:
    keys = {"version": "marginal", "block": None, "target": None, **keys}
    found = [
        r
        for r in records
        if (r.judge, r.domain, r.estimand) == (cell.judge, cell.domain, estimand)
        and all(getattr(r, k) == v for k, v in keys.items())
    ]
    assert len(found) == 1, f"{estimand} {keys}: {len(found)} records"
    return found[0]


def test_one_record_per_quantity(records: tuple[Record, ...]) -> None:
    keys = [(r.judge, r.domain, r.estimand, r.version, r.block, r.reference, r.target, r.cue, r.stage) for r in records]
    assert len(set(keys)) == len(keys)
    by_name = pd.Series([r.estimand for r in records]).value_counts()
    # 4 cells x 3 versions; levels have two blocks; the joint level has its difference too.
    assert by_name["validity"] == by_name["consistency"] == 4 * 3 * 2
    assert by_name["valid_and_consistent"] == 4 * 3 * 3
    assert by_name["worst_case_low"] == by_name["delta_p_naive"] == 4 * 3
    # Two domains of one pair of judges and two judges with one pair of domains, for each of the two effects.
    assert by_name["contrast"] == 2 * (2 + 2)
    assert by_name["rank"] == 4
    # Cells and one average over domains a judge.
    assert by_name["delta_p"] == 4 * 3 + 2


def test_numbers_lie_in_range_and_intervals_hold_the_median(records: tuple[Record, ...]) -> None:
    for r in records:
        assert r.lower is not None
        assert r.lower <= r.median <= r.upper
        entry = ESTIMANDS[r.estimand]
        if r.estimand != "valid_and_consistent" or r.block is not None:
            assert entry.lowest <= r.lower
            assert r.upper <= entry.highest
        assert (r.ci_prob, r.ci_kind, r.setting, r.model) == (0.95, "eti", "unpooled", "two_stage_association")
        levels_or_ranks = r.block is not None or r.estimand in ("error_ratio", "rank")
        assert (r.p_gt_0 is None) == levels_or_ranks
        assert (r.rope is None) == (r.estimand != "delta_p")
        assert (r.p_rope is None) == (r.p_rope_prior is None) == (r.rope is None)
        assert (r.rhat, r.ess_bulk, r.ess_tail) == (None, None, None)
        assert r.mcse is not None


def test_marginal_delta_p_by_plain_arithmetic(records: tuple[Record, ...]) -> None:
    """The mean over the nodes of the difference of two logistic-normal means."""
    lines = exact_fit(make_counts("shift", CELLS, ITEMS, successes()), MEANS, 2).lines[CELLS[0]]
    p = lines.broadcast()
    delta = logistic_normal_mean(p["alpha"] + p["beta"] / 2, p["sigma_item"]) - logistic_normal_mean(
        p["alpha"] - p["beta"] / 2, p["sigma_item"]
    )
    assert one(records, "delta_p").mean == pytest.approx(float(np.sum(lines.mass * delta)), abs=1e-9)
    # For the typical item the log-odds effect is beta: its interval is 1 +- 1.96 x .5.
    beta = one(records, "log_odds", version="typical_item")
    assert (beta.lower, beta.median, beta.upper) == pytest.approx((0.02, 1.0, 1.98), abs=0.01)


def test_averages_are_means_of_draws(records: tuple[Record, ...]) -> None:
    average = [r for r in records if r.judge == "a/b" and r.domain is None and r.estimand == "delta_p"]
    assert [r.target for r in average] == ["observed domains, equal weight"]
    means = [one(records, "delta_p", cell).mean for cell in CELLS[:2]]
    assert average[0].mean == pytest.approx(np.mean(means), abs=5e-3)
    assert average[0].planted == pytest.approx(0.005)


def test_mirror_images_under_a_block_swap() -> None:
    """Draws and nodes are mirrored exactly, so every record must mirror to rounding."""
    there, back = run(), run(-1.0)
    swap = {"congruent": "incongruent", "incongruent": "congruent", None: None}
    keys = ("judge", "domain", "version", "reference", "target", "cue")
    partner = {"worst_case_low": "worst_case_high", "worst_case_high": "worst_case_low"}
    index = {(r.estimand, r.block, *(getattr(r, k) for k in keys)): r for r in back}
    compared = 0
    for r in there:
        if r.version == "in_sample" or r.estimand == "rank":
            continue  # effects of items are drawn, not mirrored
        other = index[(partner.get(r.estimand, r.estimand), swap[r.block], *(getattr(r, k) for k in keys))]
        compared += 1
        if r.block is not None:
            assert (r.lower, r.median, r.upper) == pytest.approx((other.lower, other.median, other.upper), abs=1e-10)
        elif r.estimand == "error_ratio":
            mirrored = (1 / other.upper, 1 / other.median, 1 / other.lower)
            assert (r.lower, r.median, r.upper) == pytest.approx(mirrored, rel=1e-10)
        else:
            assert (r.lower, r.median, r.upper) == pytest.approx((-other.upper, -other.median, -other.lower), abs=1e-10)
            assert r.mean == pytest.approx(-other.mean, abs=1e-12)
            assert r.p_gt_0 == pytest.approx(1 - other.p_gt_0, abs=1e-10)
            assert r.outcome == other.outcome
    assert compared > 80


def test_counts_are_those_of_the_status_table() -> None:
    validity = make_counts("validity", CELLS, ITEMS, np.ones((4, ITEMS, 2)))
    table = statuses(validity)
    table = pd.concat(
        [table, pd.DataFrame([("a/b", "x", "incongruent", "malformed", 3)], columns=table.columns)], ignore_index=True
    )
    shift = make_counts("shift", CELLS, ITEMS, successes())
    fits = {"validity": exact_fit(validity, VALID, 1), "shift": exact_fit(shift, MEANS, 2)}
    found = evaluate(model(), fits, seed=SEED, status_counts=table)
    level = one(found, "validity", block="incongruent")
    assert (level.n_asked, level.n_valid, level.n_lost) == (15, 12, {"malformed": 3})
    effect = one(found, "delta_p")
    # Both blocks; trials without a block (five in the table) belong to no effect.
    assert (effect.n_asked, effect.n_valid, effect.n_lost) == (27, 24, {"malformed": 3})
    between = one(found, "contrast", target="delta_p", reference="c", cue="judge")
    assert (between.n_asked, between.n_valid) == (27 + 24, 48)


def test_a_block_without_valid_answers_is_not_estimable() -> None:
    validity = make_counts("validity", CELLS, ITEMS, np.ones((4, ITEMS, 2)))
    shift = drop_block(make_counts("shift", CELLS, ITEMS, successes()), 0, -0.5)
    fits = {"validity": exact_fit(validity, VALID, 1), "shift": exact_fit(shift, MEANS, 2)}
    found = evaluate(model(), fits, seed=SEED, status_counts=statuses(validity))
    assert one(found, "delta_p").outcome == "not estimable"
    assert one(found, "delta_p").mean is not None
    assert one(found, "consistency", block="incongruent").outcome == "not estimable"
    assert one(found, "consistency", block="congruent").outcome is None
    assert one(found, "contrast", target="delta_p", reference="c", cue="judge").outcome == "not estimable"
    # Validity, and with it the bounds, stay estimable.
    assert one(found, "validity_difference").outcome != "not estimable"
    assert one(found, "worst_case_high").outcome is None
    ranked = [(r.judge, r.domain) for r in found if r.estimand == "rank"]
    assert ranked == [("a/b", "y"), ("c", "y")]  # nobody to rank c against in x


def test_planted_values_travel(records: tuple[Record, ...]) -> None:
    assert one(records, "delta_p", CELLS[3]).planted == pytest.approx(0.03)
    assert one(records, "delta_p", CELLS[3], version="typical_item").planted is None
    assert one(records, "contrast", target="delta_p", reference="c", cue="judge").planted == pytest.approx(-0.02)
    assert one(records, "rank", CELLS[0], target="delta_p").planted == 2.0


def test_gates() -> None:
    validity = make_counts("validity", CELLS, ITEMS, np.ones((4, ITEMS, 2)))
    shift = make_counts("shift", CELLS, ITEMS, successes())
    counts = statuses(validity)

    def gate(fit: StageFit) -> str | None:
        return one(evaluate(model(), {"shift": fit}, seed=SEED, status_counts=counts), "delta_p").gate

    exact = exact_fit(shift, MEANS, 2)
    assert gate(exact) == "pass"
    failing = GateRow("shift", "a/b", "x", "beta", "grid_error", 1.0, 1e-3, "fail")
    assert gate(replace(exact, gate=(*exact.gate, failing))) == "fail"
    other_cell = GateRow("shift", "c", "x", "beta", "grid_error", 1.0, 1e-3, "fail")
    assert gate(replace(exact, gate=(*exact.gate, other_cell))) == "pass"
    assert gate(replace(exact, gate=())) == "not computed"
    chains = with_effects(nuts_fit(shift, MEANS, 3))
    assert gate(chains) == "pass"
    divergent = GateRow("shift", None, None, "all", "divergences", 12.0, 0.0, "fail")
    assert gate(replace(chains, gate=(divergent,))) == "fail"
    stuck = chains.posterior.copy(deep=True)
    stuck["beta"][0] += 3.0
    assert gate(replace(chains, posterior=stuck)) == "fail"


def with_effects(fit: StageFit) -> StageFit:
    """Return a fit whose engine sampled the item effects: item i of every cell has effect (i - 5.5) / 10."""
    shape = fit.posterior["alpha"].shape[:2]
    names = [f"{cell} | {name}" for cell, items in zip(CELLS, fit.counts.items, strict=True) for name in items]
    effects = np.tile((np.arange(ITEMS) - 5.5) / 10, len(CELLS))
    posterior = fit.posterior.assign(
        item_effect=(("chain", "draw", "item"), np.broadcast_to(effects, (*shape, effects.size)))
    ).assign_coords(item=names)
    return replace(fit, posterior=posterior)


def test_in_sample_by_plain_arithmetic() -> None:
    """With item effects that are known the in-sample Delta P of a draw is a mean over items, the same for both blocks."""
    validity = make_counts("validity", CELLS, ITEMS, np.ones((4, ITEMS, 2)))
    shift = make_counts("shift", CELLS, ITEMS, successes())
    # Items 0 and 1 of the first cell were never answered validly, so they are not in its sample.
    gone = (shift.cell == 0) & (shift.item < 2)
    shift = replace(
        shift,
        **{n: getattr(shift, n)[~gone] for n in ("cell", "item", "block", "trials", "successes")},
    )
    fits = {
        "validity": with_effects(nuts_fit(validity, VALID, 1)),
        "shift": with_effects(nuts_fit(shift, MEANS, 2)),
    }
    found = evaluate(model(), fits, seed=SEED, status_counts=statuses(validity))
    alpha, beta = (fits["shift"].posterior[n].values[..., 0] for n in ("alpha", "beta"))
    u = (np.arange(ITEMS) - 5.5) / 10
    by_item = expit(alpha[..., None] + beta[..., None] / 2 + u) - expit(alpha[..., None] - beta[..., None] / 2 + u)
    assert one(found, "delta_p", version="in_sample").mean == pytest.approx(by_item[..., 2:].mean(), abs=1e-12)
    # Jointly every item that was asked counts, with its own product.
    a, b = (fits["validity"].posterior[n].values[..., 0] for n in ("alpha", "beta"))
    valid = expit(a[..., None] + b[..., None] / 2 + u)
    consistent = expit(alpha[..., None] + beta[..., None] / 2 + u)
    both = one(found, "valid_and_consistent", version="in_sample", block="congruent")
    assert both.mean == pytest.approx((valid * consistent).mean(), abs=1e-12)
    assert both.rhat is not None


def test_aggregated_trials_change_nothing() -> None:
    """Two rows of one trial or one row of two: units count once either way."""
    table = None
    means = []
    for trials in (1, 2):
        validity = make_counts("validity", CELLS, ITEMS, np.full((4, ITEMS, 2), trials), trials)
        shift = make_counts("shift", CELLS, ITEMS, np.full((4, ITEMS, 2), trials), trials)
        table = statuses(validity)
        fits = {
            "validity": with_effects(nuts_fit(validity, VALID, 1)),
            "shift": with_effects(nuts_fit(shift, MEANS, 2)),
        }
        found = evaluate(model(), fits, seed=SEED, status_counts=table)
        means.append([r.mean for r in found])
    assert means[0] == means[1]


def test_prior_mass_of_the_rope(records: tuple[Record, ...]) -> None:
    """Against an independent grid: alpha, beta ~ N(0, 1.5), typical item: P(|expit(a + b/2) - expit(a - b/2)| < .02)."""
    z = np.linspace(-6, 6, 1201)
    w = np.exp(-0.5 * z**2)
    w /= w.sum()
    a, b = 1.5 * z[:, None], 1.5 * z[None, :]
    inside = np.abs(expit(a + b / 2) - expit(a - b / 2)) < 0.02
    exact = float(np.sum(w[:, None] * w[None, :] * inside))
    found = one(records, "delta_p", version="typical_item").p_rope_prior
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact / 40_000) + 2e-3)
    # Averaging two independent domains moves mass towards 0.
    average = next(r for r in records if r.domain is None and r.estimand == "delta_p")
    assert average.p_rope_prior is not None
    assert average.p_rope_prior > one(records, "delta_p").p_rope_prior


def test_pooled_priors_share_the_judge() -> None:
    """Domains of a judge share mean and judge deviation: correlation (1.5^2 + .5^2) / (1.5^2 + 3 x .5^2) = .8333."""
    stage = model(pooling="partial").stage("shift")
    found = prior_parameters(stage, np.random.default_rng(1), 200_000, domains=2)
    assert np.corrcoef(found["beta"].T)[0, 1] == pytest.approx(2.5 / 3.0, abs=0.01)
    assert found["beta"].var() == pytest.approx(3.0, rel=0.02)
    apart = prior_parameters(model().stage("shift"), np.random.default_rng(1), 200_000, domains=2)
    assert np.corrcoef(apart["beta"].T)[0, 1] == pytest.approx(0.0, abs=0.01)
    assert prior_probabilities(stage, "marginal", SEED, domains=3).congruent.shape == (40_000, 3)


def test_a_new_domain_is_there_only_when_cells_are_pooled(records: tuple[Record, ...]) -> None:
    assert not [r for r in records if r.target == "new domain"]
    shift = make_counts("shift", CELLS, ITEMS, successes())
    validity = make_counts("validity", CELLS, ITEMS, np.ones((4, ITEMS, 2)))
    pooled = model(pooling="partial")
    fits = {}
    for counts, means in ((validity, VALID), (shift, MEANS)):
        fit = with_effects(nuts_fit(counts, means, 5))
        shape = fit.posterior["alpha"].shape[:2]
        hyper = {}
        for name in ("alpha", "beta"):
            hyper[f"mu_{name}"] = (("chain", "draw"), np.full(shape, 3.0 if name == "alpha" else 1.0))
            hyper[f"{name}_judge"] = (("chain", "draw", "judge_level"), np.broadcast_to([0.0, 1.0], (*shape, 2)))
            for term in pooled.stage(counts.stage).pooled("intercept" if name == "alpha" else "block"):
                hyper[term.name] = (("chain", "draw"), np.zeros(shape))
        posterior = fit.posterior.assign(hyper).assign_coords(judge_level=["a/b", "c"])
        posterior["sigma_item"] = xr_zeros(posterior["sigma_item"])
        fits[counts.stage] = replace(fit, posterior=posterior)
    found = evaluate(pooled, fits, seed=SEED, status_counts=statuses(validity), setting="pooled")
    new = {r.judge: r for r in found if r.target == "new domain" and r.estimand == "delta_p"}
    # No spread over domains and no item effects: the judge's own coefficients, 3 and 1, or 4 and 2.
    assert new["a/b"].mean == pytest.approx(expit(3.5) - expit(2.5), abs=1e-9)
    assert new["c"].mean == pytest.approx(expit(5.0) - expit(3.0), abs=1e-9)
    assert {r.setting for r in found} == {"pooled"}


def xr_zeros(array):  # type: ignore[no-untyped-def]
    return array * 0.0


def test_ropes_by_estimand_and_none() -> None:
    assert not [r for r in run(rope=None) if r.rope is not None]
    found = run(rope={"log_odds": (-0.2, 0.2), "delta_p_naive": (-0.05, 0.05)})
    assert {r.estimand for r in found if r.rope is not None} == {"log_odds", "delta_p_naive"}
    assert all(r.p_rope_prior is not None and 0 < r.p_rope_prior < 1 for r in found if r.rope is not None)


def test_highest_density_intervals_are_labelled_and_shorter() -> None:
    eti, hdi = run(), run(ci_kind="hdi", ci_prob=0.9)
    shorter = one(hdi, "error_ratio")
    assert (shorter.ci_kind, shorter.ci_prob) == ("hdi", 0.9)
    assert shorter.upper < one(run(ci_prob=0.9), "error_ratio").upper
    assert one(eti, "error_ratio").ci_kind == "eti"


def test_same_seed_same_records() -> None:
    assert run() == run()
