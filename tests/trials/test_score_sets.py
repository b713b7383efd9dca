"""Exact counts of the real sets of scores against plain arithmetic on their files (json only)."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from judgestats.errors import ConfigError, TrialDataError
from judgestats.trials.base_sets import NO_BASE, OTHER_CONTEXT, OTHER_REPEAT
from judgestats.trials.mapping import TrialsSource
from judgestats.trials.pairing import LOST, pair_trials
from judgestats.trials.reading import read_trials
from judgestats.trials.score_coding import pair_rows, score_rows
from judgestats.trials.table import TrialTable

DOMAINS = ["science", "technology", "humanities", "daily_life", "mathematics"]
CUES = {
    ("sycophancy", "user_pos"): ("sycophancy", "pos"),
    ("sycophancy", "user_neg"): ("sycophancy", "neg"),
    ("anchoring", "anchor_high"): ("anchoring", "pos"),
    ("anchoring", "anchor_low"): ("anchoring", "neg"),
}


def read(folder: Path, **section: Any) -> TrialTable:
    return read_trials(TrialsSource.from_dict(section), folder)


def load(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as handle:
        return json.load(handle) if path.name.endswith(".json.gz") else [json.loads(line) for line in handle]


def differences(table: TrialTable) -> Counter[tuple[str, str, str, str, int]]:
    """Count pairs by judge, domain, cue, polarity and difference in steps."""
    pairs = pair_trials(table)
    out: Counter[tuple[str, str, str, str, int]] = Counter()
    part = table.frame.iloc[pairs.row]
    polarity = part["polarity"].fillna("") if "polarity" in part else [""] * len(part)
    for judge, domain, cue, sign, step, n in zip(
        part["judge"], part["domain"], part["cue"], polarity, pairs.level - pairs.base, pairs.count, strict=True
    ):
        out[(judge, domain, cue, sign, int(step))] += int(n)
    return out


def cue_scores(folder: Path, **options: Any) -> TrialTable:
    return read(
        folder,
        files="results_probes2.json*",
        reader="paired_conditions",
        options={"domains": DOMAINS, **options},
        score={"lowest": 1, "highest": 5},
    )


def test_cue_scores(shared_data: Path) -> None:
    folder = shared_data / "cue_scores_probes2"
    table = cue_scores(folder)
    expected: Counter[tuple[str, str, str, str, int]] = Counter()
    sums: dict[tuple[str, str, str], Fraction] = defaultdict(Fraction)
    judges = 0
    for family, trainings in load(folder / "results_probes2.json.gz")["results"].items():
        for training in ("base", "instruct"):
            judges += 1
            for (probe, condition), (cue, sign) in CUES.items():
                entry = trainings[training][probe]
                base, moved = entry["none"]["per_item_argmax"], entry[condition]["per_item_argmax"]
                for i, (b, m) in enumerate(zip(base, moved, strict=True)):
                    expected[(f"{family}_{training}", DOMAINS[i // 10], cue, sign, m - b)] += 1
                    sums[(f"{family}_{training}", cue, sign)] += Fraction(m - b, 50)
    assert judges == 26
    assert differences(table) == expected
    assert len(table.frame) == 26 * 50 * 5  # both probes hold the same base scores, read once
    assert [(n.code, n.count) for n in table.notices if n.code == "base_shared"] == [("base_shared", 26 * 50)]
    assert not table.frame.duplicated(["judge", "domain", "item", "cue", "polarity"]).any()
    rows = pair_rows(table)["shift"]
    shift: dict[tuple[str, str, str], Fraction] = defaultdict(Fraction)
    for i in range(len(rows.count)):
        variant = rows.variants[rows.variant[i]]
        key = (rows.cells[rows.cell[i]].judge, variant.cue, variant.polarity)
        shift[key] += Fraction(int(rows.outcome[i] * rows.count[i]), 50)
    assert {k: v for k, v in shift.items() if v} == {k: v for k, v in sums.items() if v}


def test_cue_scores_with_bases_that_differ(tmp_path: Path) -> None:
    condition = {"none": {"s": [1, 2]}, "user_pos": {"s": [3, None]}, "odd": {"s": [4, 4]}}
    other = {"none": {"s": [2, 2]}, "anchor_low": {"s": [1, 1]}}
    results = {"A": {"params_b": 1, "chat": {"p": condition, "q": other}}}
    (tmp_path / "x.json").write_text(json.dumps({"results": results}), encoding="utf-8")
    section: dict[str, Any] = {
        "files": "x.json",
        "reader": "paired_conditions",
        "options": {"values": "s"},
        "constants": {"domain": "d"},
        "score": {"lowest": 1, "highest": 5},
    }
    table = read(tmp_path, **section)
    assert set(table.frame["prompt_config"]) == {"p", "q"}
    assert differences(table) == {
        ("A_chat", "d", "p", "pos", 2): 1,  # its second trial is lost
        ("A_chat", "d", "p odd", "", 3): 1,
        ("A_chat", "d", "p odd", "", 2): 1,
        ("A_chat", "d", "q", "neg", -1): 2,
    }
    assert table.frame["status"].value_counts().to_dict() == {"valid": 9, "missing": 1}
    with pytest.raises(ConfigError, match="2 items are not 3 equal blocks"):
        read(tmp_path, **{**section, "options": {"values": "s", "domains": ["a", "b", "c"]}})
    with pytest.raises(TrialDataError, match="has no condition 'plain'"):
        read(tmp_path, **{**section, "options": {"values": "s", "base": "plain"}})
    with pytest.raises(TrialDataError, match="nothing at results / A_chat / probe"):
        read(tmp_path, **{**section, "options": {"values": "t"}})


def test_prometheus(shared_data: Path) -> None:
    folder = shared_data / "prometheus_vicuna_gpt4"
    table = read(
        folder,
        files="*.json*",
        reader="prometheus",
        columns={"cue": "generator"},
        values={"cue": {"vicuna": "base"}},
        score={"lowest": 1, "highest": 5},
    )
    raw = load(folder / "vicuna_eval.json.gz")
    levels: Counter[tuple[str, str, int]] = Counter()
    base = {
        (row["idx"], i): s for row in raw if row["response_source"] == "vicuna" for i, s in enumerate(row["gpt4_score"])
    }
    expected: Counter[tuple[str, str, str, str, int]] = Counter()
    for row in raw:
        source = row["response_source"].replace("vicuna", "base")
        for i, score in enumerate(row["gpt4_score"]):
            levels[(row["category"], source, score - 1)] += 1
            if source != "base":
                expected[("gpt4", row["category"], source, "", score - base[(row["idx"], i)])] += 1
    rows = score_rows(table)["shift"]
    totals = rows.totals()
    found = {
        (rows.cells[c].domain, str(rows.variants[v]), k): int(totals[c, v, k])
        for c in range(len(rows.cells))
        for v in range(len(rows.variants))
        for k in range(5)
        if totals[c, v, k]
    }
    assert found == levels
    assert sum(levels.values()) == 960
    assert differences(table) == expected


def fastchat(folder: Path, file: str, base: str, **section: Any) -> TrialTable:
    return read(
        folder,
        files=file,
        reader="fastchat_single",
        options={"questions": "question.jsonl.gz"},
        columns={"cue": "generator"},
        values={"cue": {base: "base"}},
        **{"score": {"lowest": 1, "highest": 10, "step": 0.5}, **section},
    )


def test_mtbench(shared_data: Path) -> None:
    folder = shared_data / "mtbench_gpt4_judge"
    name = "llama3_griffin_vs_normal_single.jsonl.gz"
    table = fastchat(folder, name, "Meta-Llama-3-8B-Instruct-Normal")
    categories = {row["question_id"]: row["category"] for row in load(folder / "question.jsonl.gz")}
    statuses: Counter[tuple[str, str, str]] = Counter()
    sums: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    again: Counter[tuple[Any, ...]] = Counter()
    for row in load(folder / name):
        source = "base" if row["model"].endswith("Normal") else row["model"]
        domain = categories[row["question_id"]]
        again[(source, row["question_id"], row["turn"])] += 1
        status = "error" if row["judgment"] == "$ERROR$" else "valid"
        assert (status == "error") == (row["score"] == -1)
        statuses[(domain, source, status)] += 1
        if status == "valid":
            sums[(domain, source)] += Fraction(row["score"])
    counted = table.variant_counts()
    found = {(d, c, s): n for _, d, c, _, s, n in counted.itertuples(index=False)}
    assert found == statuses
    assert sum(statuses.values()) == 330
    assert sum(n for (_, _, status), n in statuses.items() if status == "error") == 4
    rows = score_rows(table)["shift"]
    scores: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
    for i in range(len(rows.count)):
        key = (rows.cells[rows.cell[i]].domain, str(rows.variants[rows.variant[i]]))
        scores[key] += (1 + Fraction(int(rows.outcome[i]), 2)) * int(rows.count[i])
    assert scores == sums
    assert int(table.frame["repeat"].notna().sum()) == 2 * sum(n == 2 for n in again.values()) == 20
    pairs = pair_trials(table)
    left = {reason: len(rows) for reason, rows in pairs.left_out.items()}
    assert left[NO_BASE] == left[OTHER_CONTEXT] == left[OTHER_REPEAT] == 0
    assert len(pairs.row) + left[LOST] == 160


def test_mtbench_on_whole_steps_is_refused(shared_data: Path) -> None:
    folder = shared_data / "mtbench_gpt4_judge"
    with pytest.raises(TrialDataError, match=r"2 scores between two levels of the scale: 8.5 \(2 rows\)"):
        fastchat(folder, "llama3*", "x", score={"lowest": 1, "highest": 10})


def test_fastchat_statuses_and_repeats(tmp_path: Path) -> None:
    def entry(score: object, judgment: str | None, question: int, time: float) -> str:
        judge = ["gpt-4", "single-v1"]
        row = {"question_id": question, "model": "m", "judge": judge, "score": score, "judgment": judgment, "turn": 1}
        return json.dumps({**row, "tstamp": time})

    lines = [
        entry(-1, "$ERROR$", 1, 5.0),
        entry(-1, "no rating here", 2, 1.0),
        entry(-1, None, 3, 1.0),
        entry(None, "text", 4, 1.0),
        entry(9, "Rating: [[9]]", 5, 9.0),
        entry(7, "Rating: [[7]]", 5, 2.0),
    ]
    (tmp_path / "x.jsonl").write_text("\n".join(lines), encoding="utf-8")
    section: dict[str, Any] = {
        "files": "x.jsonl",
        "reader": "fastchat_single",
        "score": {"lowest": 1, "highest": 10},
        "constants": {"domain": "mt"},
    }
    frame = read(tmp_path, **section).frame.set_index("item")
    assert frame["status"].tolist() == ["error", "malformed", "error", "missing", "valid", "valid"]
    assert frame.loc["5 turn 1", ["repeat", "score"]].to_numpy().tolist() == [["1", 7.0], ["2", 9.0]]
    assert frame.loc[["1 turn 1", "2 turn 1"], "repeat"].isna().all()
    with pytest.raises(ConfigError, match=r"'q\.jsonl' is not in the data folder"):
        read(tmp_path, **{**section, "options": {"questions": "q.jsonl"}})
    (tmp_path / "q.jsonl").write_text('{"question_id": 1, "category": "a"}', encoding="utf-8")
    with pytest.raises(TrialDataError, match="row 2 is of question 2"):
        read(tmp_path, **{**section, "options": {"questions": "q.jsonl"}, "constants": {}})
    with pytest.raises(TrialDataError, match="needed columns are not there: 'domain'"):
        read(tmp_path, **{**section, "constants": {}})
