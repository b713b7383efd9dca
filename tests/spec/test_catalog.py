"""The catalog: which terms and priors hold under which options and columns."""

from __future__ import annotations

import itertools

import pytest

from judgestats.errors import ConfigError
from judgestats.spec.catalog import load_model, model_names, models_folder, resolve
from judgestats.spec.model import ModelOptions
from judgestats.spec.model_file import read_model_file
from judgestats.spec.prior import Prior

NAME = "two_stage_association"


def names(options: ModelOptions, columns: tuple[str, ...] = (), stage: str = "shift") -> set[str]:
    return {term.name for term in load_model(NAME, options, columns).stage(stage).terms}


def test_the_model_is_listed():
    assert NAME in model_names()


def test_default_terms_and_priors():
    model = load_model(NAME, ModelOptions(), [])
    assert [stage.name for stage in model.stages] == ["validity", "shift"]
    assert model.stage("shift").given == "valid"
    assert not model.correlations
    for stage in model.stages:
        labels = {term.name: term.prior.label() for term in stage.terms}
        assert labels == {"alpha": "N(0, 1.5)", "beta": "N(0, 1.5)", "sigma_item": "half-normal(1)"}


@pytest.mark.parametrize("stage", ["validity", "shift"])
def test_cluster_is_active_where_the_table_has_the_column(stage):
    extra = names(ModelOptions(), ("judge", "cluster"), stage) - names(ModelOptions(), ("judge",), stage)
    assert extra == {"sigma_cluster"}


def test_the_ceiling_moves_the_intercept_of_the_shift_stage_only():
    model = load_model(NAME, ModelOptions(task="ceiling"), [])
    assert model.stage("shift").term("alpha").prior.label() == "N(3, 1.5)"
    assert model.stage("validity").term("alpha").prior.label() == "N(0, 1.5)"


def test_partial_pooling_adds_six_standard_deviations():
    extra = names(ModelOptions(pooling="partial")) - names(ModelOptions())
    assert extra == {f"tau_{c}_{g}" for c in ("alpha", "beta") for g in ("judge", "domain", "cell")}
    stage = load_model(NAME, ModelOptions(pooling="partial"), []).stage("shift")
    assert {t.prior.label() for t in stage.terms if t.name.startswith("tau")} == {"half-normal(0.5)"}
    assert [t.group for t in stage.pooled("block")] == ["judge", "domain", "cell"]


def test_shared_items_are_indexed_by_domain():
    assert load_model(NAME, ModelOptions(items="shared"), []).stage("shift").term("sigma_item").factors == ("domain",)
    assert load_model(NAME, ModelOptions(), []).stage("shift").term("sigma_item").factors == ("cell",)


def test_block_slopes_and_correlation_are_options():
    assert "sigma_slope" in names(ModelOptions(block_slope=True))
    (correlation,) = load_model(NAME, ModelOptions(correlated_stages=True), []).correlations
    assert correlation.between == ("validity.sigma_item", "shift.sigma_item")
    assert correlation.prior.label() == "LKJ(2)"


def test_every_prior_has_a_reason_and_every_term_a_meaning():
    options = ModelOptions("partial", "separate", True, True, "ceiling")
    model = load_model(NAME, options, ["cluster"])
    for term in itertools.chain.from_iterable(stage.terms for stage in model.stages):
        assert len(term.prior.reason) > 15, term.name
        assert term.meaning, term.name
    assert model.correlations[0].prior.reason


def test_the_digest_follows_options_columns_and_priors():
    plain = load_model(NAME, ModelOptions(), [])
    digests = {
        plain.digest(),
        load_model(NAME, ModelOptions(task="ceiling"), []).digest(),
        load_model(NAME, ModelOptions(), ["cluster"]).digest(),
    }
    assert len(digests) == 3
    assert load_model(NAME, ModelOptions(), ["item"]).digest() == plain.digest()
    changed = plain.stage("shift").with_priors({"beta": Prior("normal", 2.5)})
    assert changed.term("beta").prior.sd == 2.5
    assert changed.term("alpha") == plain.stage("shift").term("alpha")


def test_an_unknown_model_gets_a_near_match():
    with pytest.raises(ConfigError, match="did you mean 'two_stage_association'"):
        load_model("two_stage_asociation", ModelOptions(), [])


def test_an_option_value_outside_the_file_is_refused():
    with pytest.raises(ConfigError, match="did you mean 'partial'"):
        load_model(NAME, ModelOptions(pooling="partially"), [])  # type: ignore[arg-type]


def test_shared_items_exclude_correlated_stages():
    with pytest.raises(ConfigError, match="choose one"):
        load_model(NAME, ModelOptions(items="shared", correlated_stages=True), [])


def test_two_active_terms_of_one_name_are_refused(tmp_path):
    text = (models_folder() / NAME / "model.toml").read_text(encoding="utf-8")
    path = tmp_path / "model.toml"
    path.write_text(text.replace('option = "items=shared"', 'option = "items=separate"'), encoding="utf-8")
    with pytest.raises(ConfigError, match="two active terms called 'sigma_item'"):
        resolve(read_model_file(path), ModelOptions(), [])
