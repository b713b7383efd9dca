"""Score findings of an invented run: 2 judges x 2 domains, base, 4 cues x 2 polarities and a placebo note, with losses.

Scores are drawn from a rounded normal with known shifts; records are normal approximations around the paired differences, so
that records, raw scores and counts agree with one another.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wasserstein_distance

from judgestats.checks.finding import PriorRow
from judgestats.checks.score_finding import CueFalsification, RawScores, ScorePredictive, ScoreSensitivity
from judgestats.draws.gate import GateRow
from judgestats.draws.record import Record
from judgestats.report.findings import AnalysisCard
from judgestats.report.score_findings import ScoreFindings, VariantCount
from judgestats.trials.cell import Cell
from judgestats.trials.table import Score
from judgestats.trials.variant import Variant

Array = NDArray[np.float64]
HOSTILE_JUDGE = 'acme/judge-"<b>1</b>"'
HOSTILE_CUE = "<script>document.title='taken'</script> $x$ \u202e#123456"
HOSTILE_ITEM = "=HYPERLINK('x')<img src=x onerror=alert(1)>"
JUDGES = ("planted-A", HOSTILE_JUDGE)
DOMAINS = ("essays", "math")
PLACEBO = "neutral note"
CUES = ("authority", "bandwagon", "sentiment", HOSTILE_CUE)
VARIANTS = (
    Variant(),
    *(Variant(cue, polarity) for cue in CUES for polarity in ("pos", "neg")),
    Variant(PLACEBO),
)
ITEMS = 120
SCALE = Score(1, 10, 1)
ROPE = (-0.15, 0.15)
PLANTED = {
    ("authority", "pos"): 0.6,
    ("authority", "neg"): -0.9,
    ("bandwagon", "pos"): 0.35,
    ("bandwagon", "neg"): -0.5,
}
RED = Cell(HOSTILE_JUDGE, "math")
LOST = {("authority", "neg"): 31, ("bandwagon", "neg"): 6}


@dataclass(frozen=True)
class Drawn:
    """Paired scores of one cell and variant, NaN where lost."""

    base: Array
    scores: Array

    @property
    def pairs(self) -> tuple[Array, Array]:
        keep = np.isfinite(self.base) & np.isfinite(self.scores)
        return self.base[keep], self.scores[keep]


def example_scores() -> ScoreFindings:
    """Return the findings; the same every time."""
    rng = np.random.default_rng(21)
    parts: dict[str, list] = {
        n: [] for n in ("counts", "raw", "records", "gates", "predictive", "sensitivity", "falsification")
    }
    for judge in JUDGES:
        for domain in DOMAINS:
            cell = Cell(judge, domain)
            base = _base(rng)
            for variant in VARIANTS:
                drawn = _draw(cell, variant, base, rng)
                parts["counts"] += _counts(cell, variant, drawn)
                parts["raw"].append(_raw(cell, variant, drawn))
                parts["records"] += _records(cell, variant, drawn, base)
                parts["predictive"] += _predictive(cell, variant, drawn)
                if not variant.is_base:
                    parts["sensitivity"] += _sensitivity(cell, variant, drawn)
                    parts["falsification"].append(_falsified(cell, variant, drawn, rng))
            parts["records"] += _pairs(cell, parts["records"])
            parts["sensitivity"] += _rooms(cell)
            parts["gates"] += _gates(cell)
    parts["records"] += _averages(parts["records"])
    return ScoreFindings(
        analysis=_card(),
        scale=SCALE,
        cells=tuple(Cell(j, d) for j in JUDGES for d in DOMAINS),
        variants=VARIANTS,
        priors=_priors(),
        warnings=("RuntimeWarning: an invented warning <b>in bold</b>",),
        provenance={
            "judgestats": "0.2.0",
            "python": "3.12.1",
            "command": "judgestats run analyses/cue_shift --out DIR",
            "settings": {"chains": 4, "warmup": 1000, "draws": 1000},
            "trials": [{"path": "trials.csv", "sha256": "ab" * 32, "rows": 4800}],
            "finished": "2026-01-02T03:04:05Z",
        },
        placebo=(PLACEBO,),
        notes={
            str(Cell("planted-A", "essays")): (f"An invented note about {HOSTILE_ITEM}.",),
            "trials": ("4800 rows.",),
        },
        **{name: tuple(rows) for name, rows in parts.items()},
    )


def _base(rng: np.random.Generator) -> Array:
    scores = np.clip(np.round(rng.normal(6.4, 1.8, ITEMS)), 1, 10)
    scores[rng.permutation(ITEMS)[:2]] = np.nan
    return scores


def _draw(cell: Cell, variant: Variant, base: Array, rng: np.random.Generator) -> Drawn:
    if variant.is_base:
        return Drawn(base, base)
    size = 0.5 if cell.domain == "math" else 1.0
    shift = size * PLANTED.get((variant.cue, variant.polarity), 0.0)
    moved = np.round(np.where(np.isfinite(base), base, 6) + rng.normal(shift, 0.55, ITEMS))
    scores = np.clip(moved, 1, 10)
    lost = LOST.get((variant.cue, variant.polarity), 1) if cell.judge == HOSTILE_JUDGE else 0
    scores[rng.permutation(ITEMS)[:lost]] = np.nan
    return Drawn(base, scores)


def _counts(cell: Cell, v: Variant, drawn: Drawn) -> list[VariantCount]:
    lost = int(np.isnan(drawn.scores).sum())
    broken = 1 if lost else 0
    split = (("valid", ITEMS - lost), ("refusal", lost - broken), ("malformed", broken))
    return [VariantCount(cell.judge, cell.domain, v.cue, v.polarity, s, n) for s, n in split if n]


def _raw(cell: Cell, v: Variant, drawn: Drawn) -> RawScores:
    scores = drawn.scores[np.isfinite(drawn.scores)]
    levels = tuple(int((scores == level).sum()) for level in SCALE.levels)
    place = (cell.judge, cell.domain, v.cue, v.polarity)
    if v.is_base:
        return RawScores(*place, levels, float(scores.mean()), float(scores.std(ddof=1)))
    a, b = drawn.pairs
    d = b - a
    sd = float(np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2))
    return RawScores(
        *place,
        levels,
        float(scores.mean()),
        float(scores.std(ddof=1)),
        len(d),
        float(d.mean()),
        float(d.std(ddof=1)),
        float(d.mean()) / sd,
        float(d.mean() / d.std(ddof=1)),
        float(wasserstein_distance(a, b)),
        float(np.mean(d <= -1)),
        float(np.mean(d <= -2)),
        int(np.sum(d != 0)),
    )


def _record(
    cell: Cell, v: Variant, name: str, stage: str, scale: str, mean: float, sd: float, **more: object
) -> Record:
    normal = NormalDist(mean, sd)
    lower, upper = normal.inv_cdf(0.025), normal.inv_cdf(0.975)
    if scale == "probability":
        lower, upper = max(0.0004, lower), min(0.9991, upper)
    ruled = name == "score_shift"
    outcome = None
    if ruled:
        inside = ROPE[0] < lower and upper < ROPE[1]
        outcome = "beyond" if lower > ROPE[1] or upper < ROPE[0] else "inside" if inside else "undecided"
    given: dict[str, object] = {
        "cue": v.cue,
        "polarity": v.polarity or None,
        "version": "marginal",
        "setting": "unpooled",
        "p_rope": normal.cdf(ROPE[1]) - normal.cdf(ROPE[0]) if ruled else None,
        "p_rope_prior": 0.11 if ruled else None,
        "rope": ROPE if ruled else None,
        "outcome": outcome,
        "n_asked": 2 * ITEMS,
        "n_valid": 2 * ITEMS - 4,
        "n_lost": {"refusal": 4},
        "gate": "fail" if cell == RED else "pass",
    }
    return Record(
        judge=cell.judge,
        domain=cell.domain,
        estimand=name,
        stage=stage,
        model="two_stage_ordinal",
        engine="numpyro",
        scale=scale,
        mean=mean,
        median=mean,
        sd=sd,
        lower=lower,
        upper=upper,
        ci_prob=0.95,
        ci_kind="eti",
        p_gt_0=1 - normal.cdf(0.0),
        rhat=1.001,
        ess_bulk=2100.0,
        ess_tail=1800.0,
        mcse=sd / 45,
        mcse_end=sd / 20,
        **(given | more),  # type: ignore[arg-type]
    )


def _records(cell: Cell, v: Variant, drawn: Drawn, base: Array) -> list[Record]:
    valid, lost = float(np.isfinite(drawn.scores).mean()), float(np.isnan(base).mean())
    sd_valid = max(0.008, float(np.sqrt(valid * (1 - valid) / ITEMS)))
    out = [_record(cell, v, "validity", "validity", "probability", min(valid, 0.984), sd_valid)]
    if v.is_base:
        return out
    raw = _raw(cell, v, drawn)
    se = (raw.shift_sd or 0.5) / np.sqrt(raw.n_pairs)
    shift = raw.shift or 0.0
    size = 0.5 if cell.domain == "math" else 1.0
    planted = size * PLANTED.get((v.cue, v.polarity), 0.0)
    points = "score_points"
    low = shift - 9 * (1 - valid) - 9 * lost
    high = shift + 9 * (1 - valid) + 9 * lost
    difference = valid - (1 - lost)
    out.append(
        _record(cell, v, "validity_difference", "validity", "probability_difference", difference, sd_valid + 0.01)
    )
    out.append(_record(cell, v, "score_shift", "shift", points, shift, se, planted=planted))
    pooled = _record(cell, v, "score_shift", "shift", points, 0.9 * shift, 0.8 * se, setting="pooled", planted=planted)
    out += [pooled, _record(cell, v, "score_shift", "shift", points, 1.02 * shift, se, version="typical_item")]
    out += [
        _record(cell, v, "spread_shift", "shift", points, 0.07, 0.05),
        _record(cell, v, "cohens_d", "shift", "sd_units", raw.cohens_d or 0.0, 0.06),
        _record(cell, v, "cohens_dz", "shift", "sd_units", raw.cohens_dz or 0.0, 0.1),
        _record(cell, v, "wasserstein1", "shift", points, max(abs(shift), raw.wasserstein1 or 0.0), 0.06),
        _record(cell, v, "drop_1", "shift", "probability", raw.drop_1 or 0.0, 0.04),
        _record(cell, v, "drop_2", "shift", "probability", raw.drop_2 or 0.0, 0.01),
        _record(cell, v, "worst_case_low", "joint", points, low, 0.12),
        _record(cell, v, "worst_case_high", "joint", points, high, 0.12),
    ]
    return out


def _pairs(cell: Cell, records: list[Record]) -> list[Record]:
    """Asymmetries and aggregates of one cell."""
    shifts = {
        (r.cue, r.polarity): r
        for r in records
        if (r.judge, r.domain, r.estimand, r.version, r.setting)
        == (cell.judge, cell.domain, "score_shift", "marginal", "unpooled")
    }
    out = []
    for cue in CUES:
        a, b = shifts[cue, "pos"], shifts[cue, "neg"]
        total, sd = (a.mean or 0) + (b.mean or 0), float(np.hypot(a.sd or 0, b.sd or 0))
        out.append(_record(cell, Variant(cue), "asymmetry", "shift", "score_points", total, sd))
    up = [shifts[cue, "pos"] for cue in CUES]
    mean = float(np.mean([r.mean for r in up]))
    out.append(_record(cell, Variant("positive-5", "pos"), "score_shift", "shift", "score_points", mean, 0.03))
    out.append(_record(cell, Variant("positive-7", "pos"), "score_shift", "shift", "score_points", 0.8 * mean, 0.028))
    return out


def _averages(records: list[Record]) -> list[Record]:
    """Averages over domains by judge, heterogeneity over judges, ranks of cues and a contrast of judges."""
    out: list[Record] = []
    for v in (*(x for x in VARIANTS if not x.is_base), Variant("positive-5", "pos"), Variant("positive-7", "pos")):
        means = {}
        for judge in JUDGES:
            mine = [
                r
                for r in records
                if (r.judge, r.cue, r.polarity or "", r.estimand, r.version, r.setting)
                == (judge, v.cue, v.polarity, "score_shift", "marginal", "unpooled")
            ]
            means[judge] = float(np.mean([r.mean for r in mine]))
            cell = Cell(judge, None)  # type: ignore[arg-type]
            out.append(
                _record(cell, v, "score_shift", "shift", "score_points", means[judge], 0.04, target="observed domains")
            )
            out.append(_record(cell, v, "rank", "shift", "rank", 3.0, 0.8, target="score_shift"))
        whole = Cell(None, None)  # type: ignore[arg-type]
        spread = abs(means[JUDGES[0]] - means[JUDGES[1]])
        out.append(_record(whole, v, "heterogeneity", "shift", "score_points", spread + 0.1, 0.05))
        more = {"reference": JUDGES[1], "target": "score_shift"}
        gap = means[JUDGES[0]] - means[JUDGES[1]]
        out.append(_record(Cell(JUDGES[0], "essays"), v, "contrast", "shift", "score_points", gap, 0.06, **more))
    return out


def _predictive(cell: Cell, v: Variant, drawn: Drawn) -> list[ScorePredictive]:
    raw = _raw(cell, v, drawn)
    total = sum(raw.levels)
    out = []
    for level, n in zip(SCALE.levels, raw.levels, strict=True):
        share = n / total
        wide = 1.96 * float(np.sqrt((share + 0.01) * (1 - share) / total))
        low, high = max(0.0, share - wide), share + wide
        out.append(ScorePredictive(cell.judge, cell.domain, v.cue, v.polarity, level, share, share, low, high, 0.4))
    return out


def _sensitivity(cell: Cell, v: Variant, drawn: Drawn) -> list[ScoreSensitivity]:
    place = (cell.judge, cell.domain, v.cue, v.polarity)
    mean = _raw(cell, v, drawn).shift or 0.0
    rows = (("prior", "effect N(0, 3)"), ("prior", "effect N(0, 0.5)"), ("loss_rule", "lost counted as the base score"))
    out = [
        ScoreSensitivity(
            *place, kind, setting, "score_shift", "marginal", mean, mean - 0.11, mean + 0.11, 0.9, "undecided"
        )
        for kind, setting in rows
    ]
    room = ("room", "base 3 to 8", "score_shift", "marginal", mean, mean - 0.13, mean + 0.13, 0.9, None)
    return [*out, ScoreSensitivity(*place, *room)]


def _rooms(cell: Cell) -> list[ScoreSensitivity]:
    numbers = ("asymmetry", "marginal", -0.1, -0.3, 0.1, 0.16, None)
    return [ScoreSensitivity(cell.judge, cell.domain, cue, "", "room", "base 3 to 8", *numbers) for cue in CUES]


def _falsified(cell: Cell, v: Variant, drawn: Drawn, rng: np.random.Generator) -> CueFalsification:
    a, b = drawn.pairs
    d = b - a
    flips = rng.choice([-1.0, 1.0], size=(400, len(d))) @ d / len(d)
    p = float((np.sum(np.abs(flips) >= abs(d.mean())) + 1) / 401)
    place = (cell.judge, cell.domain, v.cue, v.polarity)
    null = tuple(float(x) for x in flips)
    distinct = len(set(null))
    return CueFalsification(
        *place, "within_item", "raw_difference", float(d.mean()), null, 400, distinct, p, 1 / 401, min(1, 9 * p)
    )


def _gates(cell: Cell) -> list[GateRow]:
    out = []
    for stage in ("validity", "shift"):
        for criterion, value, limit in (("rhat", 1.002, 1.01), ("ess_bulk", 2100.0, 400.0), ("divergences", 0.0, 0.0)):
            bad = cell == RED and stage == "shift" and criterion == "rhat"
            status, action = ("fail", "Draw more.") if bad else ("pass", "")
            quantity = "score_shift[authority pos]"
            row = GateRow(
                stage, cell.judge, cell.domain, quantity, criterion, 1.09 if bad else value, limit, status, action
            )
            out.append(row)
    return out


def _priors() -> tuple[PriorRow, ...]:
    rows = (
        (
            "effect",
            "shift of a variant, latent scale",
            "N(0, 1.5)",
            "shift -2.4 to 2.4 points",
            "Symmetric about no effect.",
        ),
        ("sigma_item", "sd of item effects", "half-normal(1)", "odds factor up to 7", "Items seldom differ by more."),
        ("threshold", "cutpoints", "induced Dirichlet(1)", "each level 0.0 to 0.3", "No level is favoured."),
    )
    return tuple(
        PriorRow(stage, *row)
        for stage in ("validity", "shift")
        for row in rows
        if stage == "shift" or row[0] != "threshold"
    )


def _card() -> AnalysisCard:
    return AnalysisCard(
        name="cues",
        title="An invented cue audit",
        question="Which irrelevant cues move the scores of two judges, and do they make them refuse?",
        design="Each answer was scored from 1 to 10 as it is and with one note added.",
        judges=JUDGES,
        domains=DOMAINS,
        model="two_stage_ordinal",
        model_title="Two-stage ordinal model of scores",
        formulas={
            "validity": "logit P(valid) = alpha[cell] + effect[cell, variant] + u[cell, item]",
            "shift": "logit P(level <= k | valid) = threshold_k[cell] - effect[cell, variant] - u[cell, item]",
        },
        options={"pooling": "none"},
        engine={"validity": "numpyro", "shift": "numpyro"},
        engine_why={"validity": "Rows collapse to counts.", "shift": "Rows collapse to counts."},
        ci_prob=0.95,
        ci_kind="eti",
        rope=ROPE,
        decision_rule="A shift is beyond the ROPE when its whole 95 % interval lies outside [-0.15, 0.15] points.",
        seed=7,
        effect_name="score shift",
        effect_definition="E(score | variant, valid) - E(score | base, valid), in score points",
        limitations=("English answers only.",),
        simulated=True,
        success_word="valid",
    )
