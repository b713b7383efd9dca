"""Rules of ``--fail-on`` and the verdict on gates."""

from __future__ import annotations

import pytest

from judgestats.draws.gate import GateRow, GateStatus
from judgestats.draws.record import Record
from judgestats.study.gate_rows import agreement_row, gate_summary
from judgestats.study.rule import rule_met


def record(
    estimand: str = "delta_p",
    outcome: str | None = "undecided",
    lower: float = -0.1,
    upper: float = 0.1,
    version: str = "marginal",
    domain: str | None = "d",
    mean: float = 0.0,
    mcse: float | None = 0.001,
    engine: str = "exact",
) -> Record:
    return Record(
        "j",
        domain,
        estimand,
        "shift",
        "m",
        engine,
        "probability_difference",
        version=version,
        outcome=outcome,
        lower=lower,
        upper=upper,
        mean=mean,
        mcse=mcse,
    )


@pytest.mark.parametrize(
    ("records", "met"),
    [
        ([record(outcome="inside")], set()),
        ([record(outcome="undecided")], {"undecided"}),
        ([record(outcome="inside"), record(outcome="beyond")], {"bias", "undecided"}),
        ([record(outcome="not estimable")], {"undecided"}),
        # Other versions and averages over domains are no cell's headline.
        ([record(outcome="inside"), record(outcome="beyond", version="typical_item")], set()),
        ([record(outcome="inside"), record(outcome="beyond", domain=None)], set()),
        ([record("validity_difference", None, 0.01, 0.3), record(outcome="inside")], {"loss"}),
        ([record("validity_difference", None, -0.3, -0.01), record(outcome="inside")], {"loss"}),
        ([record("validity_difference", None, -0.01, 0.3), record(outcome="inside")], set()),
    ],
)
def test_rules(records: list[Record], met: set[str]) -> None:
    assert {rule for rule in ("bias", "undecided", "loss") if rule_met(rule, records)} == met


def gate(status: GateStatus) -> GateRow:
    return GateRow("shift", "j", "d", "delta_p[marginal]", "rhat", 1.5, 1.01, status, "Draw more.")


def test_the_worst_row_is_the_verdict_and_undefined_counts_for_nothing() -> None:
    assert gate_summary([gate("pass"), gate("undefined")]).status == "pass"
    assert gate_summary([gate("pass"), gate("warn")]).status == "warn"
    found = gate_summary([gate("warn"), gate("fail"), gate("fail")])
    assert found.status == "fail"
    assert found.lines()[0] == "Gate: 2 failed, 1 warned."
    assert "rhat 1.5, limit 1.01. Draw more." in found.lines()[1]


@pytest.mark.parametrize(
    ("other", "mcse", "value", "status"),
    [
        # hypot(.003, .004) = .005; .01 / .005 = 2 errors apart, .02 / .005 = 4.
        (0.01, 0.004, 2.0, "pass"),
        (-0.02, 0.004, 4.0, "fail"),
        (0.01, None, None, "warn"),  # a comparison that was asked for and cannot be made does not pass in silence
    ],
)
def test_agreement_is_counted_in_combined_errors(
    other: float, mcse: float | None, value: float | None, status: str
) -> None:
    row = agreement_row(record(mcse=0.003), record(mean=other, mcse=mcse, engine="pymc"))
    assert row.value == (None if value is None else pytest.approx(value))
    assert row.status == status
    assert (row.action == "") is (status == "pass")
