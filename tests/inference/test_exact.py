"""The exact engine against closed forms, brute-force quadrature and its own symmetries."""

from __future__ import annotations

import numpy as np
import pytest
from association_counts import pairs, stage, swapped, table
from scipy import integrate
from scipy.special import expit

from judgestats.draws.line_quantity import LineQuantity
from judgestats.errors import SamplingError
from judgestats.inference.contract import EngineSettings
from judgestats.inference.engines.exact import ExactEngine, line_quantities
from judgestats.seeds import Seed
from judgestats.trials.cell import Cell

SETTINGS = EngineSettings(Seed(7))
CELL = Cell("judge", "domain")


def quantities(counts, spec=None) -> dict[str, LineQuantity]:
    fit = ExactEngine().fit(spec or stage(), counts, SETTINGS)
    return line_quantities(fit.lines[CELL])


@pytest.mark.parametrize(
    ("beta_sd", "expected"),
    # Table 79/80 against 73/80 with alpha ~ N(3, 1.5): two independent grids and NUTS gave 0.047 and 0.058.
    [(1.0, 0.047), (1.5, 0.058)],
)
def test_ceiling_table_agrees_with_outside_values(beta_sd: float, expected: float) -> None:
    delta = quantities(pairs(72, 7, 1), stage((3.0, 1.5), beta_sd))["difference[marginal]"]
    assert delta.mean() == pytest.approx(expected, abs=5e-4)


def test_posterior_mean_equals_adaptive_quadrature() -> None:
    """Three items, tiny sigma prior: alpha and beta alone, so a two-dimensional adaptive quadrature is an independent check.

    With sigma ~ half-normal(1e-3) the item effect vanishes and the likelihood is
    expit(a + b/2)^2 expit(-a - b/2) expit(a - b/2)^1 expit(-a + b/2)^2.
    """
    counts = table([(1, 1, 1, 1), (1, 1, 1, 0), (1, 0, 1, 0)])

    def density(b: float, a: float) -> float:
        up, down = a + b / 2, a - b / 2
        likelihood = expit(up) ** 2 * expit(-up) * expit(down) * expit(-down) ** 2
        return likelihood * np.exp(-0.5 * (a / 1.5) ** 2 - 0.5 * (b / 1.5) ** 2)

    def moment(function) -> float:
        return integrate.dblquad(lambda b, a: function(a, b) * density(b, a), -12, 12, -12, 12, epsabs=1e-11)[0]

    total = moment(lambda a, b: 1.0)
    expected = moment(lambda a, b: expit(a + b / 2) - expit(a - b / 2)) / total
    delta = quantities(counts, stage(sigma=1e-3))["difference[marginal]"]
    # The stretches along beta carry the mean of their middle: their width enters the mean at second order, 1e-5 here.
    assert delta.mean() == pytest.approx(expected, abs=2e-5)


def test_cell_without_trials_is_the_prior() -> None:
    """Without data beta ~ N(0, 1.5): 2.5 % and 97.5 % points at -+1.959964 x 1.5."""
    counts = pairs(1, 0, 0).select(0)
    empty = type(counts)(
        **{**counts.__dict__, **{k: getattr(counts, k)[:0] for k in ("cell", "item", "block", "trials", "successes")}}
    )
    fit = ExactEngine().fit(stage(), empty, SETTINGS)
    beta = line_quantities(fit.lines[CELL])["beta"]
    assert beta.quantile(0.975) == pytest.approx(1.959964 * 1.5, rel=1e-3)
    assert beta.quantile(0.025) == pytest.approx(-1.959964 * 1.5, rel=1e-3)
    assert any("prior" in note for note in fit.notes)
    # The item standard deviation keeps its half-normal(1): mean sqrt(2/pi). Its draws are stratified along sigma, so the
    # Monte Carlo error is far below sd/sqrt(4000) = 0.01.
    assert float(fit.posterior["sigma_item"].mean()) == pytest.approx(np.sqrt(2 / np.pi), abs=2e-3)


def test_block_swap_negates_to_1e_10() -> None:
    counts = table(
        [(1, 1, 1, 1)] * 60 + [(1, 1, 1, 0)] * 7 + [(1, 0, 1, 1)] * 2 + [(1, 1, 0, 0)] * 5 + [(0, 0, 1, 0)] * 3
    )
    engine = ExactEngine()
    one, other = (engine.fit(stage(), c, SETTINGS) for c in (counts, swapped(counts)))
    a, b = line_quantities(one.lines[CELL]), line_quantities(other.lines[CELL])
    for name in ("difference[marginal]", "beta"):
        assert a[name].mean() == pytest.approx(-b[name].mean(), abs=1e-10)
        for probability in (0.025, 0.5, 0.975):
            assert a[name].quantile(probability) == pytest.approx(-b[name].quantile(1 - probability), abs=1e-10)
    # Draws mirror in pairs: draw i of one is draw i + n/2 of the other with the sign of beta changed.
    half = one.posterior["beta"].size // 2
    np.testing.assert_allclose(
        one.posterior["beta"].values.ravel()[:half], -other.posterior["beta"].values.ravel()[half:], atol=1e-9
    )
    np.testing.assert_allclose(
        one.posterior["alpha"].values.ravel()[:half], other.posterior["alpha"].values.ravel()[half:], atol=1e-9
    )


def test_none_and_all_of_200_mirror_and_bound_the_error_like_jeffreys() -> None:
    """Jeffreys' 97.5 % bound of a rate with 0 of 200 successes is the Beta(.5, 200.5) quantile, .0125."""
    none, everything = (quantities(table([(1, k, 1, k)] * 200)) for k in (0, 1))
    upper = none["p_congruent[marginal]"].quantile(0.975)
    assert upper == pytest.approx(1 - everything["p_congruent[marginal]"].quantile(0.025), abs=1e-10)
    assert 0.0125 / 2.5 <= upper <= 0.0125 * 2.5
    assert none["difference[marginal]"].mean() == pytest.approx(0.0, abs=1e-12)


def test_item_order_and_names_change_nothing() -> None:
    rows = [(1, 1, 1, 1)] * 20 + [(1, 1, 1, 0)] * 5 + [(2, 1, 1, 1)] * 4
    shuffled = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]
    one, other = (ExactEngine().fit(stage(), table(r), SETTINGS) for r in (rows, shuffled))
    np.testing.assert_array_equal(one.posterior["beta"].values, other.posterior["beta"].values)


def test_every_gate_row_passes_from_chance_to_ceiling() -> None:
    for both, more, less, neither in ((80, 0, 0, 0), (72, 7, 1, 0), (40, 10, 10, 20), (0, 80, 0, 0), (0, 0, 0, 80)):
        fit = ExactEngine().fit(stage(), pairs(both, more, less, neither), SETTINGS)
        assert {row.status for row in fit.gate} == {"pass"}, (both, more, less, neither)


def test_many_trials_an_item_need_and_get_finer_nodes() -> None:
    """20 items with 12 trials a block: the item likelihood is much narrower than the item effect's prior."""
    rng = np.random.default_rng(3)
    effects = rng.normal(0, 1.2, 20)
    rows = [(12, int(rng.binomial(12, expit(1.4 + u))), 12, int(rng.binomial(12, expit(0.6 + u)))) for u in effects]
    fit = ExactEngine().fit(stage(), table(rows), SETTINGS)
    assert {row.status for row in fit.gate} == {"pass"}
    beta = line_quantities(fit.lines[CELL])["beta"]
    # 240 trials a block at p near .7: standard error of the log odds ratio about sqrt(2 / (240 x .2)) = .20.
    assert beta.mean() == pytest.approx(0.8, abs=4 * 0.2)
    assert beta.sd() == pytest.approx(0.21, rel=0.25)


def test_items_with_hundreds_of_trials_are_left_to_sampling() -> None:
    reason = ExactEngine().refusal(stage(), table([(40, 30, 40, 20)] * 3))
    assert reason is not None
    assert "80 trials" in reason


def test_single_trial_clusters_add_their_variance() -> None:
    """One item in each cluster: item and cluster effects add, so the data see sigma_item^2 + sigma_cluster^2 only.

    With the cluster prior shrunk to 1e-3 the nested posterior of Delta P must equal the plain one.
    """
    rows = [(1, 1, 1, 1)] * 30 + [(1, 1, 1, 0)] * 6 + [(1, 0, 1, 0)] * 4
    plain = quantities(table(rows))["difference[marginal]"]
    nested = quantities(table(rows, clusters=list(range(len(rows)))), stage(cluster=1e-3))["difference[marginal]"]
    assert nested.mean() == pytest.approx(plain.mean(), abs=5e-5)
    assert nested.quantile(0.975) == pytest.approx(plain.quantile(0.975), abs=2e-4)


def test_nested_clusters_agree_with_brute_force() -> None:
    """Log-likelihood at one lattice node against a two-dimensional adaptive quadrature written out."""
    from judgestats.inference.cell_posterior import CellModel
    from judgestats.inference.lattice import Box, Lattice

    counts = table([(1, 1, 0, 0), (1, 0, 0, 0), (0, 0, 1, 1), (1, 1, 1, 0)], clusters=[0, 0, 1, 1])
    model = CellModel.of(stage(cluster=1.0), counts)
    lattice = Lattice.over(Box(((0.0, 2.0), (0.0, 2.0)), (-2.0, 3.0), (-2.0, 2.0)), 41, 5)
    ours = model.log_posterior(lattice, 61) - model.log_prior(lattice)
    s, t, a, b = 2, 3, 30, 25
    sigma, tau, alpha, beta = lattice.scales[0][s], lattice.scales[1][t], lattice.alpha[a], lattice.beta[b]

    def item(pattern: tuple[int, int, int, int], w: float) -> float:
        n_c, k_c, n_i, k_i = pattern

        def inner(u: float) -> float:
            up, down = alpha + beta / 2 + w + u, alpha - beta / 2 + w + u
            value = expit(up) ** k_c * expit(-up) ** (n_c - k_c) * expit(down) ** k_i * expit(-down) ** (n_i - k_i)
            return value * np.exp(-0.5 * (u / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi))

        return integrate.quad(inner, -10 * sigma, 10 * sigma, epsabs=1e-12)[0]

    total = 0.0
    for members in ([(1, 1, 0, 0), (1, 0, 0, 0)], [(0, 0, 1, 1), (1, 1, 1, 0)]):
        value = integrate.quad(
            lambda w, m=members: (
                np.prod([item(p, w) for p in m]) * np.exp(-0.5 * (w / tau) ** 2) / (tau * np.sqrt(2 * np.pi))
            ),
            -10 * tau,
            10 * tau,
            epsabs=1e-10,
        )[0]
        total += np.log(value)
    assert ours[s, t, a, b] == pytest.approx(total, abs=2e-5)


def test_crossed_clusters_are_refused_in_words() -> None:
    counts = table([(1, 1, 1, 1), (1, 1, 1, 0)], clusters=[0, 1])
    crossed = type(counts)(**{**counts.__dict__, "cluster": np.array([0, 1, 0, 1])})
    reason = ExactEngine().refusal(stage(cluster=1.0), crossed)
    assert reason is not None
    assert "cross" in reason
    with pytest.raises(SamplingError, match="cannot serve"):
        ExactEngine().fit(stage(cluster=1.0), crossed, SETTINGS)


def test_draws_follow_the_nodes() -> None:
    """Mean and ends from 4,000 stratified draws against the weighted nodes, within 4 Monte Carlo errors of plain draws."""
    fit = ExactEngine().fit(stage(), pairs(60, 12, 4, 4), SETTINGS)
    beta = line_quantities(fit.lines[CELL])["beta"]
    draws = fit.posterior["beta"].values.ravel()
    assert draws.mean() == pytest.approx(beta.mean(), abs=4 * beta.sd() / np.sqrt(draws.size))
    for probability in (0.025, 0.975):
        # Error of a quantile: sqrt(p (1 - p) / n) / density, density about 0.0584 / sd at the 2.5 % point of a normal.
        error = np.sqrt(probability * (1 - probability) / draws.size) * beta.sd() / 0.0584
        assert np.quantile(draws, probability) == pytest.approx(beta.quantile(probability), abs=4 * error)


def test_several_cells_fit_after_a_lazy_jax_was_left_by_another_library() -> None:
    """In a fresh process: ArviZ leaves a lazy jax module, which threads must not load at once."""
    import subprocess
    import sys
    from pathlib import Path

    code = (
        "import arviz_stats.base\n"
        "from judgestats.study.analysis import load_analysis\n"
        "from judgestats.study.catalog import demo_folder\n"
        "from judgestats.study.setup import prepare\n"
        "from judgestats.inference.contract import EngineSettings\n"
        "from judgestats.inference.engines.exact import ExactEngine\n"
        "from judgestats.seeds import Seed\n"
        "setup = prepare(load_analysis(demo_folder() / 'analysis.toml'), None)\n"
        "fit = ExactEngine().fit(setup.model.stage('shift'), setup.counts['shift'], EngineSettings(Seed(1)))\n"
        "print(len(fit.lines))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=Path.cwd())
    assert done.stdout.strip() == "6", done.stderr[-500:]
