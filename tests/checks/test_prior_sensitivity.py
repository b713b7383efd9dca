"""The prior grid against independent figures and against the exact engine itself."""

from __future__ import annotations

import hand_made as hm
import numpy as np
import pytest
from scipy.special import expit

from judgestats.checks.cell_lattice import CellLattice
from judgestats.checks.prior_alternatives import prior_alternatives
from judgestats.checks.prior_sensitivity import prior_grid
from judgestats.inference.cell_posterior import CellModel
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.exact import line_quantities, refine
from judgestats.seeds import Seed
from judgestats.spec.model import ModelOptions, ModelSpec
from judgestats.spec.prior import Prior

SETTINGS = EngineSettings(Seed(1))
CEILING = hm.stage(alpha=Prior("normal", 1.5, 3.0))


def model(*stages: object) -> ModelSpec:
    return ModelSpec("m", "", "", "choice", tuple(stages), ModelOptions(), ("delta_p",))


def test_ceiling_table_gives_the_published_figures() -> None:
    # 79 of 80 congruent, 73 of 80 incongruent, eight discordant items (7 congruent only, 1 incongruent only);
    # E[Delta P] by an independent grid: 0.047 under block N(0, 1), 0.058 under N(0, 1.5) with intercept N(3, 1.5);
    # whole sets 0.050 [-0.007, 0.115], 0.058 [0.004, 0.126], 0.068 [0.008, 0.141].
    table = hm.counts(hm.paired(72, 7, 1, 0))
    rows = prior_grid(model(CEILING), table, SETTINGS)
    by_setting = {row.setting.split(":")[0]: row for row in rows}
    expected = {
        "block effect N(0, 1)": (0.047, None, None),
        "as fitted": (0.058, 0.004, 0.126),
        "sceptical set": (0.050, -0.007, 0.115),
        "broad set": (0.068, 0.008, 0.141),
    }
    for setting, (mean, lower, upper) in expected.items():
        row = by_setting[setting]
        assert row.mean == pytest.approx(mean, abs=6e-4), setting
        if lower is not None:
            assert (row.lower, row.upper) == pytest.approx((lower, upper), abs=1.1e-3), setting
    assert [row.outcome for row in rows[:1]] == ["undecided"]


def test_every_alternative_agrees_with_the_exact_engine() -> None:
    for pattern in ((72, 7, 1, 0), (80, 0, 0, 0), (30, 20, 10, 20)):
        table = hm.counts(hm.paired(*pattern))
        alternatives = prior_alternatives(hm.stage())
        lattice = CellLattice.over(CellModel.of(hm.stage(), table), [a.stage for a in alternatives])
        for alternative in (alternatives[0], alternatives[-1]):
            lines = refine(CellModel.of(alternative.stage, table)).lines
            exact = line_quantities(lines)["difference[marginal]"]
            ours = lattice.effect(alternative.stage)
            mean = lattice.mean_delta(lattice.log_posterior(alternative.stage))
            assert mean == pytest.approx(exact.mean(), abs=1e-5)
            for probability in (0.025, 0.5, 0.975):
                assert ours.quantile(probability) == pytest.approx(exact.quantile(probability), abs=1e-4)
            assert 1 - ours.below(0) == pytest.approx(1 - exact.below(0), abs=3e-4)


def test_effect_at_the_nodes_against_direct_quadrature() -> None:
    # Both a lattice whose alpha and beta steps are tied one to one and one where they are not.
    for pattern in ((59, 12, 3, 5), (72, 7, 1, 0), (3, 0, 0, 1)):
        lattice = CellLattice.over(CellModel.of(hm.stage(), hm.counts(hm.paired(*pattern))))
        grid = lattice.lattice
        sigma, alpha, beta = np.meshgrid(*grid.axes, indexing="ij")
        direct = np.zeros(grid.shape)
        for z in np.linspace(-8, 8, 201):
            weight = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) * 0.08
            direct += weight * (expit(alpha + beta / 2 + sigma * z) - expit(alpha - beta / 2 + sigma * z))
        # The fixed number of quadrature nodes loses accuracy where sigma is far beyond its posterior.
        assert np.abs(lattice.delta - direct).max() < 1e-5
        assert np.abs(lattice.delta - direct)[sigma < 3].max() < 1e-8


def test_swapping_the_blocks_mirrors_the_grid() -> None:
    rows = prior_grid(model(hm.stage()), hm.counts(hm.paired(60, 12, 3, 5)), SETTINGS)
    swapped = prior_grid(model(hm.stage()), hm.counts(hm.paired(60, 3, 12, 5)), SETTINGS)
    for row, other in zip(rows, swapped, strict=True):
        assert row.mean == pytest.approx(-other.mean, abs=1e-12)
        assert row.lower == pytest.approx(-other.upper, abs=1e-9)
        assert row.outcome == other.outcome


def test_a_flip_is_named_and_the_fitted_priors_come_first() -> None:
    # 79/80 against 70/80: beyond the ROPE under the broad set, undecided under the sceptical one.
    rows = prior_grid(model(hm.stage()), hm.counts(hm.paired(69, 10, 1, 0)), SETTINGS, rope=(-0.02, 0.02))
    assert rows[0].setting.startswith("as fitted")
    assert rows[0].note == ""
    for row in rows[1:]:
        assert (row.note != "") == (row.outcome != rows[0].outcome)
    assert len({row.outcome for row in rows}) > 1
    assert len({row.setting for row in rows}) == len(rows)


def test_fitted_priors_are_not_repeated_as_alternatives() -> None:
    settings = [a.setting for a in prior_alternatives(CEILING)]
    assert "intercept N(3, 1.5)" not in settings
    assert not any(s.startswith("ceiling set") for s in settings)
    assert sum(s.startswith("block effect") for s in settings) == 2


def test_an_empty_block_is_not_estimable_under_any_prior() -> None:
    table = hm.counts([(0, i, None, 0.5, 1, 1) for i in range(10)])
    rows = prior_grid(model(hm.stage()), table, SETTINGS)
    assert {row.outcome for row in rows} == {"not estimable"}


def test_stages_the_exact_engine_cannot_serve_get_no_rows_without_an_engine() -> None:
    crossed = hm.counts([(0, i, c, b, 1, 1) for i in range(3) for c in range(2) for b in (0.5, -0.5)])
    assert prior_grid(model(hm.stage(clusters=True)), crossed, SETTINGS) == ()


def test_clusters_that_hold_items_have_their_own_prior_varied() -> None:
    rng = np.random.default_rng(3)
    rows = [(0, i, i // 5, (0.5, -0.5)[i % 2], 1, int(rng.random() < 0.8)) for i in range(40)]
    found = prior_grid(model(hm.stage(clusters=True)), hm.counts(rows), SETTINGS)
    assert any(row.setting == "cluster sd half-normal(2.5)" for row in found)
    assert all(np.isfinite(row.mean) for row in found)
