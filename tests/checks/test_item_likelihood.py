"""Item log-likelihoods against scipy quadrature and closed forms."""

from __future__ import annotations

import hand_made as hm
import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import dblquad, quad, simpson
from scipy.special import expit, log_expit
from scipy.stats import norm

from judgestats.checks.cell_draws import thinned
from judgestats.checks.item_likelihood import item_log_likelihood
from judgestats.checks.likelihood_units import unit_kind


def one_draw(**values: float) -> dict[str, np.ndarray]:
    return {key: np.full((1, 1, 1), value) for key, value in values.items()}


def bernoulli(eta: float, trials: int, successes: int) -> float:
    return float(expit(eta) ** successes * expit(-eta) ** (trials - successes))


def test_without_item_sd_it_is_the_bernoulli_log_likelihood() -> None:
    # sigma = 0: log p = sum over blocks of k log expit(eta) + (n - k) log expit(-eta), eta = alpha +- beta/2.
    table = hm.counts([(0, 0, None, 0.5, 3, 2), (0, 0, None, -0.5, 1, 0), (0, 1, None, -0.5, 2, 2)])
    values = item_log_likelihood(hm.stage(), hm.fit(table, one_draw(alpha=0.7, beta=0.4, sigma_item=0.0)))
    first = 2 * log_expit(0.9) + log_expit(-0.9) + log_expit(-0.5)
    assert values.values.ravel() == pytest.approx([first, 2 * log_expit(0.5)], abs=1e-12)
    assert list(values["item_name"].values) == ["item-000", "item-001"]
    assert set(values["unit"].values) == {"item"}
    assert set(values["item_judge"].values) == {hm.CELL.judge}


def test_far_out_on_the_link_scale_stays_finite() -> None:
    # log expit(-800) = -800 to double precision; through probabilities it would be log 0.
    table = hm.counts([(0, 0, None, 0.5, 1, 0)])
    values = item_log_likelihood(hm.stage(), hm.fit(table, one_draw(alpha=800.0, beta=0.0, sigma_item=0.0)))
    assert float(values.squeeze()) == pytest.approx(-800.0, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(
    alpha=st.floats(-5, 6),
    beta=st.floats(-4, 4),
    sigma=st.floats(0.01, 6),
    cells=st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1)), min_size=2, max_size=2),
)
def test_integral_against_scipy(alpha: float, beta: float, sigma: float, cells: list[tuple[int, float]]) -> None:
    (n1, f1), (n0, f0) = cells
    k1, k0 = round(n1 * f1), round(n0 * f0)
    rows = [(0, 0, None, 0.5, n1, k1)] * (n1 > 0) + [(0, 0, None, -0.5, n0, k0)] * (n0 > 0)
    if not rows:
        return
    got = float(
        item_log_likelihood(
            hm.stage(), hm.fit(hm.counts(rows), one_draw(alpha=alpha, beta=beta, sigma_item=sigma))
        ).squeeze()
    )

    # Simpson's rule on 40,001 points over [-12, 12]: another rule, 100 times finer and wider than the one under test.
    z = np.linspace(-12, 12, 40_001)
    up, down = alpha + beta / 2 + sigma * z, alpha - beta / 2 + sigma * z
    logs = k1 * log_expit(up) + (n1 - k1) * log_expit(-up) + k0 * log_expit(down) + (n0 - k0) * log_expit(-down)
    logs = logs + norm.logpdf(z)
    top = logs.max()
    beyond = cut_off(8.0 - abs(z[int(np.argmax(logs))]))
    if beyond < 0.5:  # else the effect lies where the rule has no nodes, and nothing is claimed
        exact = top + np.log(simpson(np.exp(logs - top), x=z))
        # The error that `node_count` states, and what lies beyond the last node.
        own = 1e-6 if sigma <= 2 else 1e-4
        assert got == pytest.approx(exact, abs=own - np.log1p(-beyond))


def cut_off(reach: float, step: float = 0.25) -> float:
    """Return a bound of the relative error of an integral cut off `reach` beyond its mode.

    The integrand is g(t) exp(-t^2/2), t from the mode, with g log-concave (a Bernoulli-logit likelihood) and falling from the
    mode on, so its share beyond d is at most that of a half-normal, 2 Q(d), and its height at d at most phi(d) / (Phi(d) - 1/2)
    of the whole. The end node carries a full step instead of half of one, and Euler-Maclaurin terms are smaller: one step.
    """
    if reach <= 0:
        return 1.0
    return float(2 * norm.sf(reach) + step * norm.pdf(reach) / (norm.cdf(reach) - 0.5))


def test_block_slope_against_a_double_integral() -> None:
    table = hm.counts([(0, 0, None, 0.5, 2, 2), (0, 0, None, -0.5, 2, 0)])
    alpha, beta, sigma, slope = 0.5, 0.8, 1.2, 1.5
    draws = one_draw(alpha=alpha, beta=beta, sigma_item=sigma, sigma_slope=slope)
    got = float(item_log_likelihood(hm.stage(slope=True), hm.fit(table, draws)).squeeze())

    def density(w: float, z: float) -> float:
        up = alpha + beta / 2 + sigma * z + 0.5 * slope * w
        down = alpha - beta / 2 + sigma * z - 0.5 * slope * w
        return bernoulli(up, 2, 2) * bernoulli(down, 2, 0) * norm.pdf(z) * norm.pdf(w)

    exact, _ = dblquad(density, -8, 8, -8, 8, epsabs=1e-8)
    assert got == pytest.approx(np.log(exact), abs=1e-6)


def test_clusters_that_hold_whole_items_are_the_unit() -> None:
    # Two items in template 0: p = E_v[ E_u(item 0 | v) E_u(item 1 | v) ]; item 2 alone in template 1.
    table = hm.counts([(0, 0, 0, 0.5, 1, 1), (0, 1, 0, -0.5, 1, 0), (0, 2, 1, 0.5, 1, 1)])
    alpha, beta, sigma, tau = 0.3, 1.0, 0.8, 1.4
    spec = hm.stage(clusters=True)
    draws = one_draw(alpha=alpha, beta=beta, sigma_item=sigma, sigma_cluster=tau)
    values = item_log_likelihood(spec, hm.fit(table, draws))
    assert list(values["unit"].values) == ["cluster", "cluster"]
    assert list(values["item_name"].values) == ["template-00", "template-01"]

    def item(eta: float, success: int) -> float:
        return quad(lambda z: bernoulli(eta + sigma * z, 1, success) * norm.pdf(z), -8, 8)[0]

    def first(v: float) -> float:
        return item(alpha + 0.5 + tau * v, 1) * item(alpha - 0.5 + tau * v, 0) * norm.pdf(v)

    total = np.hypot(sigma, tau)
    second = quad(lambda z: bernoulli(alpha + 0.5 + total * z, 1, 1) * norm.pdf(z), -8, 8)[0]
    assert values.values.ravel() == pytest.approx([np.log(quad(first, -8, 8)[0]), np.log(second)], abs=1e-7)


def test_crossed_clusters_condition_on_their_sampled_effects() -> None:
    rows = [(0, i, c, b, 1, int((i + c) % 3 > 0)) for i in range(2) for c in range(2) for b in (0.5, -0.5)]
    table = hm.counts(rows)
    spec = hm.stage(clusters=True)
    assert unit_kind(spec, table) == "item given the sampled cluster effects"
    made = hm.fit(table, one_draw(alpha=0.2, beta=0.6, sigma_item=0.9, sigma_cluster=1.0))
    effects = np.array([0.7, -0.4])
    made.posterior["cluster_effect"] = (("chain", "draw", "cluster"), effects[None, None, :])
    made.posterior["cluster_name"] = ("cluster", np.array(["template-00", "template-01"]))
    made.posterior["cluster_judge"] = ("cluster", np.array([hm.CELL.judge] * 2))
    made.posterior["cluster_domain"] = ("cluster", np.array([hm.CELL.domain] * 2))
    values = item_log_likelihood(spec, made)

    def density(item: int, z: float) -> float:
        out = norm.pdf(z)
        for _, i, c, block, n, k in rows:
            if i == item:
                out *= bernoulli(0.2 + 0.6 * block + effects[c] + 0.9 * z, n, k)
        return float(out)

    exact = [np.log(quad(lambda z, i=i: density(i, z), -8, 8)[0]) for i in range(2)]
    assert values.values.ravel() == pytest.approx(exact, abs=1e-7)
    assert set(values["unit"].values) == {"item given the sampled cluster effects"}


def test_aggregated_and_single_trials_agree() -> None:
    # No binomial constant: 3 of 4 as one row equals four rows of one trial (here spread over clusters that are not
    # modelled).
    whole = hm.counts([(0, 0, None, 0.5, 4, 3)])
    single = hm.counts([(0, 0, c, 0.5, 1, int(c < 3)) for c in range(4)])
    draws = one_draw(alpha=0.4, beta=-0.2, sigma_item=1.1)
    a = item_log_likelihood(hm.stage(), hm.fit(whole, draws))
    b = item_log_likelihood(hm.stage(), hm.fit(single, draws))
    assert float(a.squeeze()) == pytest.approx(float(b.squeeze()), abs=1e-13)


def test_draws_are_thinned_evenly_and_at_most_a_thousand() -> None:
    table = hm.counts([(0, 0, None, 0.5, 1, 1)])
    ramp = np.arange(8000.0).reshape(4, 2000, 1)
    made = hm.fit(table, {"alpha": ramp / 8000, "beta": 0 * ramp, "sigma_item": 0 * ramp})
    values = item_log_likelihood(hm.stage(), made)
    assert values.sizes == {"chain": 4, "draw": 250, "item": 1}
    kept = thinned(made.posterior)["alpha"].values[0, :, 0] * 8000
    assert np.all(np.diff(kept) == 8)
    # The coordinate keeps the position in the fit: the posterior's own draws can be selected with it.
    assert np.array_equal(made.posterior["alpha"].sel(draw=values["draw"]).values[0, :, 0] * 8000, kept)


def test_an_empty_cell_adds_no_unit() -> None:
    other = hm.Cell("b", "x")
    table = hm.counts([(0, 0, None, 0.5, 1, 1)], cells=(hm.Cell("a", "x"), other))
    draws = {k: np.zeros((2, 3, 2)) for k in ("alpha", "beta", "sigma_item")}
    values = item_log_likelihood(hm.stage(), hm.fit(table, draws))
    assert list(values["item_judge"].values) == ["a"]
    assert isinstance(values, xr.DataArray)
    assert np.allclose(values, np.log(0.5))
