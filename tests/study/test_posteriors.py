"""Fits of a run: sampled ones are stored and read back equal, with their warnings; exact ones are not stored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from judgestats.study.analysis import Analysis, EngineSection
from judgestats.study.ledger import Ledger
from judgestats.study.notes import notes_by_cell
from judgestats.study.posteriors import Posteriors
from judgestats.study.setup import Setup, prepare

BASE = {"name": "a", "title": "t", "question": "q", "model": "two_stage_association", "seed": 1}


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    """Two cells, one of whose names begins the other's, 8 items, 2 blocks."""
    rows = ["judge,domain,item,block,status,response,consistent"]
    for domain in ("d", "d, more"):
        for item in range(8):
            rows.append(f'j/1,"{domain}",é{item},congruent,valid,A,true')
            rows.append(f'j/1,"{domain}",é{item},incongruent,valid,B,{str(item > 2).lower()}')
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "t.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    analysis = Analysis.from_dict(BASE | {"trials": {"files": "*.csv", "labels": ["A", "B"]}})
    return prepare(analysis, tmp_path / "data")


def test_exact_fits_are_made_again_and_alike(setup: Setup, tmp_path: Path) -> None:
    one = Posteriors(setup, Ledger(tmp_path / "out")).fits()
    two = Posteriors(setup, Ledger(tmp_path / "out")).fits()
    for stage in ("validity", "shift"):
        assert one[stage].engine == "exact"
        assert one[stage].posterior.equals(two[stage].posterior)
    assert not (tmp_path / "out").exists()


@pytest.mark.sampling
def test_sampled_fits_are_stored_and_come_back_equal(setup: Setup, tmp_path: Path) -> None:
    engine = EngineSection(name="numpyro", chains=2, warmup=100, draws=100)
    sampled = replace(setup, analysis=replace(setup.analysis, engine=engine))
    first, second = Ledger(tmp_path), Ledger(tmp_path)
    made = Posteriors(sampled, first)
    one = made.fits()
    assert made.is_done()
    two = Posteriors(sampled, second).fits()
    assert (first.made, second.made) == (["fit-validity", "fit-shift"], [])
    assert second.reused == ["fit-validity", "fit-shift"]
    assert first.warnings() == second.warnings()
    for stage in ("validity", "shift"):
        a, b = one[stage], two[stage]
        assert a.posterior.identical(b.posterior) or a.posterior.equals(b.posterior)
        assert a.sample_stats is not None
        assert b.sample_stats is not None
        assert a.sample_stats.equals(b.sample_stats)
        assert (a.engine, a.why, a.gate, a.notes, a.seconds) == (b.engine, b.why, b.gate, b.notes, b.seconds)
        assert np.array_equal(a.counts.successes, b.counts.successes)
    # Another seed is another fit.
    other = replace(sampled, analysis=replace(sampled.analysis, seed=2))
    assert not Posteriors(other, Ledger(tmp_path)).is_done()


def test_the_key_names_all_that_a_fit_depends_on(setup: Setup, tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    base = Posteriors(setup, ledger).key()
    for changed in (
        replace(setup.analysis, seed=2),
        replace(setup.analysis, engine=EngineSection(draws=10)),
    ):
        assert Posteriors(replace(setup, analysis=changed), ledger).key() != base
    words = replace(setup.analysis, title="another", question="another")
    assert Posteriors(replace(setup, analysis=words), ledger).key() == base


def test_notes_go_to_the_cell_that_they_begin_with(setup: Setup) -> None:
    texts = ["j/1 x d, shift stage: one.", "j/1 x d, more, shift stage: two.", "About no cell."]
    found = notes_by_cell(setup, texts)
    assert found["j/1 x d"] == (texts[0],)
    assert found["j/1 x d, more"] == (texts[1],)
    assert found["fits"] == (texts[2],)
    assert any("100 items" in text for text in found["trials"])
