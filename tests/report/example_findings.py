"""Findings of an invented run: 3 judges x 2 domains, with every awkward case in it.

Numbers come from conjugate Beta posteriors of invented counts, so that records, items and counts agree with one another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from judgestats.checks.falsification import Falsification
from judgestats.checks.finding import DensityRow, ItemRow, LooRow, PredictiveRow, PriorRow, SensitivityRow
from judgestats.draws.gate import GateRow
from judgestats.draws.record import Record
from judgestats.report.findings import AnalysisCard, Findings, StatusCount
from judgestats.trials.cell import Cell

HOSTILE_ITEM = "<script>document.title='taken'</script> & $x$ #123456"
HOSTILE_JUDGE = 'acme/judge-"<b>1</b>"'
ITEMS = 80
ROPE = (-0.02, 0.02)


@dataclass(frozen=True)
class Truth:
    """Counts of one invented cell, out of 80 asked in each block."""

    judge: str
    domain: str
    lost: tuple[int, int]
    consistent: tuple[int, int]
    planted: float
    red: bool = False


TRUTHS = (
    Truth("planted-A", "gender-career", (0, 0), (79, 72), 0.086),
    Truth("planted-A", "gender-science", (0, 1), (78, 75), 0.02),
    Truth("planted-B", "gender-career", (0, 24), (79, 54), 0.017),
    Truth("planted-B", "gender-science", (1, 3), (78, 76), 0.002),
    Truth(HOSTILE_JUDGE, "gender-career", (0, 0), (80, 80), 0.004),
    Truth(HOSTILE_JUDGE, "gender-science", (0, 0), (79, 78), 0.001, red=True),
)


def example_findings() -> Findings:
    """Return the findings; the same every time."""
    rng = np.random.default_rng(20)
    records: list[Record] = []
    effects: dict[Cell, NDArray[np.float64]] = {}
    parts: dict[str, list] = {
        n: [] for n in ("gates", "predictive", "items", "loo", "sensitivity", "falsification", "densities")
    }
    for truth in TRUTHS:
        cell_records, delta = _records(truth, rng)
        records += cell_records
        effects[Cell(truth.judge, truth.domain)] = delta
        head = next(r for r in cell_records if r.estimand == "delta_p")
        parts["gates"] += _gates(truth)
        parts["predictive"] += _predictive(truth)
        parts["items"] += _items(truth, rng)
        parts["loo"].append(LooRow("shift", truth.judge, truth.domain, -31.2, 6.1, 2.4, ITEMS, 0.31, 0.0, -31.1))
        parts["sensitivity"] += _sensitivity(truth, head)
        parts["falsification"] += _falsification(truth, head, rng)
        parts["densities"].append(_density(truth, delta))
    records += _between(effects)
    return Findings(
        analysis=_card(),
        cells=tuple(Cell(t.judge, t.domain) for t in TRUTHS),
        counts=_counts(),
        records=tuple(records),
        priors=_priors(),
        warnings=("RuntimeWarning: an invented warning <b>in bold</b>",),
        provenance={
            "judgestats": "0.1.0",
            "python": "3.12.1",
            "command": "judgestats demo --out demo-report",
            "settings": {"chains": 4, "warmup": 1000, "draws": 1000},
            "trials": [{"path": "trials.csv", "sha256": "ab" * 32, "rows": 960}],
            "seconds": {"validity": 0.61, "shift": 0.58},
            "finished": "2026-01-02T03:04:05Z",
        },
        notes={
            str(Cell("planted-A", "gender-career")): ("An invented note on this cell.",),
            "trials": ("960 rows read.",),
            "multiplicity": ("An invented joint claim.",),
        },
        **{name: tuple(rows) for name, rows in parts.items()},
    )


def _card() -> AnalysisCard:
    return AnalysisCard(
        name="example",
        title="An invented association test",
        question="Does the pairing of words move three judges, and does it make them refuse?",
        design="Each item was asked once in a congruent and once in an incongruent block, with a single label as the answer.",
        judges=("planted-A", "planted-B", HOSTILE_JUDGE),
        domains=("gender-career", "gender-science"),
        model="two_stage_association",
        model_title="Two-stage logistic model of association tests",
        formulas={
            "validity": "logit P(valid) = alpha[cell] + beta[cell] * block + u[cell, item]",
            "shift": "logit P(consistent | valid) = alpha[cell] + beta[cell] * block + u[cell, item]",
        },
        options={"pooling": "none", "items": "separate", "block_slope": False},
        engine={"validity": "exact", "shift": "exact"},
        engine_why={
            "validity": "Unpooled cells with one item intercept.",
            "shift": "Unpooled cells with one item intercept.",
        },
        ci_prob=0.95,
        ci_kind="eti",
        rope=ROPE,
        decision_rule="An effect is beyond the ROPE when the whole 95 % interval of Delta P lies outside [-0.02, 0.02].",
        seed=7,
        limitations=("English stimuli only.", "One snapshot of each judge."),
        simulated=True,
    )


def _priors() -> tuple[PriorRow, ...]:
    rows = (
        ("alpha", "log-odds for a typical item", "N(0, 1.5)", "0.05 to 0.95", "Near uniform on the probability scale."),
        ("beta", "difference between blocks", "N(0, 1.5)", "Delta P -0.55 to 0.55", "Symmetric about no effect."),
        ("sigma_item", "sd of item effects", "half-normal(1)", "odds factor up to 7", "Items seldom differ by more."),
    )
    return tuple(PriorRow(stage, *row) for stage in ("validity", "shift") for row in rows)


def _counts() -> tuple[StatusCount, ...]:
    out = []
    for t in TRUTHS:
        for block, lost in zip(("congruent", "incongruent"), t.lost, strict=True):
            out.append(StatusCount(t.judge, t.domain, block, "valid", ITEMS - lost))
            refused = lost if lost != 3 else 2
            if refused:
                out.append(StatusCount(t.judge, t.domain, block, "refusal", refused))
            if lost - refused:
                out.append(StatusCount(t.judge, t.domain, block, "malformed", lost - refused))
    return tuple(out)


def _beta(rng: np.random.Generator, k: int, n: int) -> NDArray[np.float64]:
    return rng.beta(k + 0.5, n - k + 0.5, 20_000)


def _record(t: Truth, name: str, stage: str, scale: str, draws: NDArray[np.float64], **more: object) -> Record:
    lower, upper = (float(v) for v in np.quantile(draws, (0.025, 0.975)))
    signed = scale in ("probability_difference", "log_odds")
    inside = float(np.mean((draws > ROPE[0]) & (draws < ROPE[1]))) if name == "delta_p" else None
    return Record(
        judge=t.judge,
        domain=t.domain,
        estimand=name,
        stage=stage,
        model="two_stage_association",
        engine="exact",
        scale=scale,
        setting="unpooled",
        mean=float(draws.mean()),
        median=float(np.median(draws)),
        sd=float(draws.std()),
        lower=lower,
        upper=upper,
        ci_prob=0.95,
        ci_kind="eti",
        p_gt_0=float(np.mean(draws > 0)) if signed else None,
        p_rope=inside,
        p_rope_prior=0.09 if inside is not None else None,
        rope=ROPE if inside is not None else None,
        mcse=2e-5,
        n_asked=160,
        n_valid=160 - sum(t.lost),
        n_lost={"refusal": sum(t.lost)} if sum(t.lost) else {},
        gate="fail" if t.red else "pass",
        **more,  # type: ignore[arg-type]
    )


def _records(t: Truth, rng: np.random.Generator) -> tuple[list[Record], NDArray[np.float64]]:
    n_c, n_i = ITEMS - t.lost[0], ITEMS - t.lost[1]
    v_c, v_i = _beta(rng, n_c, ITEMS), _beta(rng, n_i, ITEMS)
    p_c, p_i = _beta(rng, t.consistent[0], n_c), _beta(rng, t.consistent[1], n_i)
    delta = p_c - p_i
    low, high = (float(v) for v in np.quantile(delta, (0.025, 0.975)))
    outcome = "beyond" if low > ROPE[1] else "inside" if ROPE[0] < low and high < ROPE[1] else "undecided"
    difference = "probability_difference"
    out = [
        _record(t, "validity", "validity", "probability", v_c, version="marginal", block="congruent"),
        _record(t, "validity", "validity", "probability", v_i, version="marginal", block="incongruent"),
        _record(t, "validity_difference", "validity", difference, v_c - v_i, version="marginal"),
        _record(t, "consistency", "shift", "probability", p_c, version="marginal", block="congruent"),
        _record(t, "consistency", "shift", "probability", p_i, version="marginal", block="incongruent"),
        _record(t, "delta_p", "shift", difference, delta, version="marginal", outcome=outcome, planted=t.planted),
        _record(t, "delta_p", "shift", difference, 0.9 * delta, version="typical_item"),
        _record(
            t, "log_odds", "shift", "log_odds", np.log(p_c / (1 - p_c)) - np.log(p_i / (1 - p_i)), version="marginal"
        ),
        _record(t, "error_ratio", "shift", "ratio", (1 - p_i) / (1 - p_c), version="marginal"),
        _record(t, "delta_p_naive", "joint", difference, v_c * p_c - v_i * p_i, version="marginal"),
        _record(t, "worst_case_low", "joint", difference, v_c * p_c - v_i * p_i - (1 - v_i), version="marginal"),
        _record(t, "worst_case_high", "joint", difference, v_c * p_c + 1 - v_c - v_i * p_i, version="marginal"),
    ]
    return out, delta


def _between(effects: dict[Cell, NDArray[np.float64]]) -> list[Record]:
    out = []
    by_name = {Cell(t.judge, t.domain): t for t in TRUTHS}
    difference = "probability_difference"

    def contrast(first: Cell, second: Cell, factor: str) -> Record:
        return _record(
            by_name[first],
            "contrast",
            "shift",
            difference,
            effects[first] - effects[second],
            version="marginal",
            reference=getattr(second, factor),
            target="delta_p",
            cue=factor,
            planted=by_name[first].planted - by_name[second].planted,
        )

    for domain in ("gender-career", "gender-science"):
        cells = [c for c in effects if c.domain == domain]
        ranks = np.argsort(np.argsort(-np.stack([effects[c] for c in cells]), axis=0), axis=0) + 1.0
        for cell, draws in zip(cells, ranks, strict=True):
            out.append(_record(by_name[cell], "rank", "shift", "rank", draws, version="marginal", target="delta_p"))
        out += [contrast(first, second, "judge") for first, second in combinations(cells, 2)]
    for judge in ("planted-A", "planted-B", HOSTILE_JUDGE):
        first, second = Cell(judge, "gender-career"), Cell(judge, "gender-science")
        out.append(contrast(first, second, "domain"))
        mean = (effects[first] + effects[second]) / 2
        average = _record(
            by_name[first], "delta_p", "shift", difference, mean, version="marginal", target="observed domains"
        )
        out.append(replace(average, domain=None))
    return out


def _gates(t: Truth) -> list[GateRow]:
    rows = []
    for stage in ("validity", "shift"):
        for criterion, value, limit in (
            ("grid_error", 3e-6, 1e-4),
            ("node_error", 8e-6, 1e-4),
            ("edge_mass", 2e-9, 1e-6),
        ):
            bad = t.red and stage == "shift" and criterion == "edge_mass"
            rows.append(
                GateRow(
                    stage,
                    t.judge,
                    t.domain,
                    "delta_p[marginal]" if stage == "shift" else "validity_difference[marginal]",
                    criterion,
                    3.1e-4 if bad else value,
                    limit,
                    "fail" if bad else "pass",
                    "Widen the grid, or run NUTS." if bad else "",
                )
            )
    return rows


def _predictive(t: Truth) -> list[PredictiveRow]:
    rows = []
    for stage, totals, hits in (
        ("validity", (ITEMS, ITEMS), (ITEMS - t.lost[0], ITEMS - t.lost[1])),
        ("shift", (ITEMS - t.lost[0], ITEMS - t.lost[1]), t.consistent),
    ):
        for block, n, k in zip(("congruent", "incongruent"), totals, hits, strict=True):
            rate = k / n
            wide = 2 * np.sqrt((rate + 0.01) * (1.01 - rate) / n)
            rows.append(PredictiveRow("prior", stage, t.judge, t.domain, block, "rate", rate, 0.5, 0.04, 0.96))
            low, high = max(0.0, rate - wide), min(1.0, rate + wide)
            rows.append(
                PredictiveRow("posterior", stage, t.judge, t.domain, block, "rate", rate, rate - 0.004, low, high, 0.47)
            )
    rows.append(PredictiveRow("prior", "shift", t.judge, t.domain, None, "delta_p", None, 0.0, -0.55, 0.55))
    both = float(max(0, t.consistent[0] + t.consistent[1] - ITEMS))
    rows.append(
        PredictiveRow(
            "posterior",
            "shift",
            t.judge,
            t.domain,
            None,
            "items_with_k_successes=2",
            both,
            both - 1.0,
            both - 9,
            both + 6,
            0.4,
        )
    )
    return rows


def _items(t: Truth, rng: np.random.Generator) -> list[ItemRow]:
    names = [f"item {i:02d}" for i in range(ITEMS)]
    names[1] = HOSTILE_ITEM
    names[2] = "価値 — non-ASCII \u202eitem"
    rows = []
    sides = []
    for k, lost in zip(t.consistent, t.lost, strict=True):
        asked = np.ones(ITEMS, dtype=int)
        asked[rng.permutation(ITEMS)[:lost]] = 0
        right = asked.copy()
        right[rng.permutation(np.flatnonzero(asked))[: int(asked.sum()) - k]] = 0
        sides.append((asked, right))
    for i, name in enumerate(names):
        (n_c, k_c), (n_i, k_i) = ((int(a[i]), int(r[i])) for a, r in sides)
        effect = 0.15 - 0.6 * ((n_c - k_c) + (n_i - k_i)) + 0.001 * i
        rows.append(
            ItemRow(
                t.judge,
                t.domain,
                name,
                "shift",
                n_c,
                k_c,
                n_i,
                k_i,
                effect,
                effect - 1.3,
                effect + 1.3,
                (k_i - k_c) * 0.012,
            )
        )
        rows.append(ItemRow(t.judge, t.domain, name, "validity", 1, n_c, 1, n_i, 0.1, -1.2, 1.4))
    return rows


def _sensitivity(t: Truth, head: Record) -> list[SensitivityRow]:
    def row(
        kind: str, setting: str, scale: float, outcome: str | None = head.outcome, **more: object
    ) -> SensitivityRow:
        assert head.mean is not None
        assert head.lower is not None
        assert head.upper is not None
        numbers = (scale * head.mean, scale * head.lower, scale * head.upper, head.p_gt_0)
        return SensitivityRow(t.judge, t.domain, kind, setting, "delta_p", "marginal", *numbers, outcome, **more)  # type: ignore[arg-type]

    return [
        row("prior", "block effect N(0, 1)", 0.85, "undecided"),
        row("prior", "block effect N(0, 2.5)", 1.1),
        row("loss_rule", "lost trials dropped", 1.0),
        row("loss_rule", "lost trials counted inconsistent", 1.6),
        row("loss_rule", "lost trials modelled", 1.55),
        row("leave_one_out", "smallest over items", 0.8),
        row("leave_one_out", "largest over items", 1.05),
        SensitivityRow(
            t.judge, t.domain, "prior", "block effect N(0, 1)", "validity_difference", "marginal", 0.9, 0.8, 0.95, 0.999
        ),
        SensitivityRow(
            t.judge, t.domain, "power_scaling", "prior of beta", "delta_p", "marginal", value=0.03, note="below 0.05"
        ),
    ]


def _falsification(t: Truth, head: Record, rng: np.random.Generator) -> list[Falsification]:
    assert head.mean is not None
    raw = t.consistent[0] / (ITEMS - t.lost[0]) - t.consistent[1] / (ITEMS - t.lost[1])
    out = []
    for scheme, spread in (("within_item", 0.02), ("within_judge", 0.025)):
        null = np.round(rng.normal(0, spread, 1000) / 0.0125) * 0.0115
        p = (1 + int(np.sum(np.abs(null) >= abs(head.mean) - 1e-12))) / 1001
        out.append(
            Falsification(
                judge=t.judge,
                domain=t.domain,
                scheme=scheme,
                statistic="posterior_mean_delta_p",
                observed=head.mean,
                raw_observed=raw,
                null=null,
                null_weights=np.full(1000, 1e-3),
                permutations=1000,
                distinct=int(np.unique(null).size),
                failed=0,
                p_value=p,
                p_lower=max(0.0, p - 0.01),
                p_upper=min(1.0, p + 0.01),
                smallest_p=1 / 1001,
                p_max=min(1.0, 3 * p),
                enumerated=False,
            )
        )
    return out


def _density(t: Truth, delta: NDArray[np.float64]) -> DensityRow:
    height, edges = np.histogram(delta, bins=120, density=True)
    x = (edges[:-1] + edges[1:]) / 2
    smooth = np.convolve(height, np.ones(7) / 7, mode="same")
    return DensityRow(t.judge, t.domain, "delta_p", "marginal", tuple(x.tolist()), tuple(smooth.tolist()))
