"""results.json, methods text and bibliography of a run on scores."""

from __future__ import annotations

import re
from dataclasses import replace

import jsonschema
import pytest
from example_scores import example_scores

from judgestats.report.findings_store import load_findings, save_findings
from judgestats.report.gather.score_report import score_report_facts
from judgestats.report.results import results_schema
from judgestats.report.score_citations import APPLIES, score_bibliography, score_cite
from judgestats.report.score_methods import score_methods_text
from judgestats.report.score_results import score_records_csv, score_results


@pytest.fixture(scope="module")
def scores():
    return example_scores()


@pytest.fixture(scope="module")
def document(scores):
    return score_results(scores)


def test_the_file_obeys_the_schema_of_all_reports(document):
    jsonschema.validate(document, results_schema(), cls=jsonschema.Draft202012Validator)


def test_numbers_are_unrounded_and_every_row_names_its_variant(document, scores):
    for written, record in zip(document["records"], scores.records, strict=True):
        assert (written["mean"], written["cue"], written["polarity"]) == (record.mean, record.cue, record.polarity)
    for key in ("falsification", "sensitivity"):
        for written, row in zip(document[key], getattr(scores, key), strict=True):
            assert (written["cue"], written["polarity"]) == (row.cue, row.polarity)


def test_the_null_distribution_is_whole(document, scores):
    for written, row in zip(document["falsification"], scores.falsification, strict=True):
        values, weights = written["null"]["values"], written["null"]["weights"]
        assert sum(weights) == pytest.approx(1)
        mean = sum(v * w for v, w in zip(values, weights, strict=True))
        assert mean == pytest.approx(sum(row.null) / len(row.null))
        assert written["enumerated"] is False


def test_enumerated_outcomes_say_so(scores):
    row = replace(scores.falsification[0], permutations=0)
    (written,) = score_results(replace(scores, falsification=(row,)))["falsification"]
    assert written["enumerated"] is True


def test_findings_survive_the_store(scores, tmp_path):
    assert load_findings(save_findings(scores, tmp_path / "findings.json")) == scores


def test_saved_records_are_inert_for_a_spreadsheet(scores):
    (first, *_) = scores.records
    text = score_records_csv((replace(first, judge="=1+1", n_lost={"refusal": 2}),))
    head, row = text.splitlines()
    assert "'=1+1" in row
    assert "refusal 2" in row
    assert "layer" not in head.split(",")


def test_the_bibliography_holds_what_the_text_cites(scores):
    report = score_report_facts(scores)
    cited = set(re.findall(r"\\cite\{(\w+)\}", score_methods_text(report, "tex")))
    entries = set(re.findall(r"@\w+\{(\w+),", score_bibliography(report)))
    assert cited <= entries
    assert entries - cited <= {"judgestats", "abrilpla2023pymc"}
    assert {"burkner2019ordinal", "xu2026unfair", "phipson2010permutation", "westfall1993resampling"} <= cited
    bare = score_report_facts(replace(scores, falsification=(), records=()))
    assert score_cite(bare, "phipson2010permutation") == score_cite(bare, "horowitz2000bounds") == ""
    assert set(APPLIES) >= cited
    with pytest.raises(ValueError, match="unknown"):
        score_cite(report, "nobody")


def test_methods_say_what_was_done(scores):
    text = score_methods_text(score_report_facts(scores), "txt")
    asked = sum(c.n for c in scores.counts)
    valid = sum(c.n for c in scores.counts if c.status == "valid")
    assert f"Of {asked:,} trials {valid:,} gave a valid score and {asked - valid} were lost" in text
    assert "from 1 to 10 in steps of 1" in text
    assert "cumulative-logit" in text
    assert "4 chains of 1000 draws" in text
    paired = replace(scores, analysis=replace(scores.analysis, model="two_stage_shift"))
    assert "hurdle for equal scores" in score_methods_text(score_report_facts(paired), "txt")
