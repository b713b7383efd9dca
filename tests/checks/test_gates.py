"""Gate rows of reported quantities."""

from __future__ import annotations

import numpy as np
import pytest

from judgestats.checks.gates import END_SHARE, gate_status, record_gates
from judgestats.draws.gate import GateRow
from judgestats.draws.record import Record


def record(**fields: object) -> Record:
    base: dict[str, object] = {
        "judge": "a/b",
        "domain": "x",
        "estimand": "delta_p",
        "stage": "shift",
        "model": "m",
        "engine": "numpyro",
        "scale": "probability_difference",
        "version": "marginal",
        "mean": 0.05,
        "lower": 0.0,
        "upper": 0.1,
        "rhat": 1.002,
        "ess_bulk": 900.0,
        "ess_tail": 800.0,
        "mcse": 0.001,
    }
    return Record(**(base | fields))


def statuses(*records: Record) -> dict[tuple[str, str], str]:
    return {(row.quantity, row.criterion): row.status for row in record_gates(records)}


def test_good_chains_pass_every_criterion() -> None:
    assert set(statuses(record()).values()) == {"pass"}
    assert len(statuses(record())) == 4


def test_limits_are_those_of_the_design() -> None:
    # R-hat must be below 1.01, effective sizes at least 400; 2 % of a width of .1 is .002.
    for field, bad, good, status in (
        ("rhat", 1.01, 1.0099, "fail"),
        ("ess_bulk", 399.9, 400.0, "fail"),
        ("ess_tail", 12.0, 400.0, "fail"),
        ("mcse", 0.002, 0.0019, "warn"),
    ):
        criterion = "mcse_share" if field == "mcse" else field
        assert statuses(record(**{field: bad}))["delta_p[marginal]", criterion] == status
        assert statuses(record(**{field: good}))["delta_p[marginal]", criterion] == "pass"
        failing = [row for row in record_gates([record(**{field: bad})]) if row.status == status]
        assert failing[0].action != ""


def test_ends_are_judged_whatever_interval_is_reported() -> None:
    # Exp(1), 400 draws: error of the 97.5 % point sqrt(.975 x .025 / 400) / .025 = .312, over a width of 3.664: .085. A width
    # of .1 may have an error of .0085.
    assert pytest.approx(END_SHARE, abs=5e-4) == np.sqrt(0.975 * 0.025 / 400) / 0.025 / np.log(0.975 / 0.025)
    assert statuses(record(mcse_end=0.0084, ci_prob=0.5))["delta_p[marginal]", "end_share"] == "pass"
    assert statuses(record(mcse_end=0.0086, ci_prob=0.5))["delta_p[marginal]", "end_share"] == "warn"
    assert ("delta_p[marginal]", "end_share") not in statuses(record(mcse_end=None))
    # A rank ends at a whole number, so its error is half a step or nothing, however many draws there are.
    assert ("delta_p[marginal]", "end_share") not in statuses(record(mcse_end=0.5, scale="rank"))


def test_constants_are_undefined_and_neither_pass_nor_fail() -> None:
    rows = record_gates([record(rhat=None, ess_bulk=None, ess_tail=float("nan"), lower=0.0, upper=0.0)])
    assert {row.status for row in rows} == {"undefined"}
    assert all(row.value is None for row in rows)
    assert gate_status(rows, "a/b", "x") == "warn"


def test_exact_quantities_have_no_chain_diagnostics() -> None:
    rows = record_gates([record(engine="exact", rhat=None, ess_bulk=None, ess_tail=None, mcse=1e-5)])
    assert [row.criterion for row in rows] == ["mcse_share"]
    assert gate_status(rows, "a/b", "x") == "pass"


def test_joint_quantities_of_two_engines_are_judged_as_chains() -> None:
    rows = record_gates([record(engine="exact+numpyro", rhat=None, ess_bulk=None, ess_tail=None)])
    assert [row.status for row in rows] == ["undefined", "undefined", "undefined", "pass"]


def test_status_of_a_cell_takes_its_own_rows_and_those_of_the_whole_fit() -> None:
    other = GateRow("shift", "c", "x", "alpha", "rhat", 1.2, 1.01, "fail")
    whole = GateRow("shift", None, None, "sampler", "divergences", 3.0, 0.0, "fail")
    own = record_gates([record()])
    assert gate_status([*own, other], "a/b", "x") == "pass"
    assert gate_status([*own, other], "c", "x") == "fail"
    assert gate_status([*own, whole], "a/b", "x") == "fail"
    assert gate_status(record_gates([record(mcse=0.01)]), "a/b", "x") == "warn"
    assert gate_status([], "a/b", "x") == "warn"


def test_blocks_and_contrasts_are_told_apart() -> None:
    found = statuses(
        record(estimand="validity", block="congruent"),
        record(estimand="validity", block="incongruent"),
        record(estimand="contrast", target="delta_p", reference="c x x"),
    )
    assert ("validity[marginal] congruent", "rhat") in found
    assert ("validity[marginal] incongruent", "rhat") in found
    assert ("contrast[marginal] of delta_p against c x x", "rhat") in found


def test_cues_and_polarities_are_told_apart() -> None:
    found = statuses(
        record(estimand="score_shift", cue="age", polarity="pos"),
        record(estimand="score_shift", cue="age", polarity="neg", rhat=1.05),
        record(estimand="asymmetry", cue="age"),
    )
    assert found["score_shift[marginal] age pos", "rhat"] == "pass"
    assert found["score_shift[marginal] age neg", "rhat"] == "fail"
    assert found["asymmetry[marginal] age", "rhat"] == "pass"
