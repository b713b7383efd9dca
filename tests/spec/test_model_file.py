"""Model files: every wrong word is an error that names file, key and the nearest right word."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgestats.errors import ConfigError
from judgestats.spec.catalog import models_folder
from judgestats.spec.model_file import read_model_file

FILE = models_folder() / "two_stage_association" / "model.toml"


def broken(folder: Path, old: str, new: str) -> Path:
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    path = folder / "model.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ('verdict = "choice"', 'verdit = "choice"', "did you mean 'verdict'"),
        ('given = "all"', 'givn = "all"', "did you mean 'given'"),
        ('family = "bernoulli_logit"', 'family = "bernouli_logit"', "did you mean 'bernoulli_logit'"),
        ('kind = "product"', 'kind = "produkt"', "did you mean 'product'"),
        ('factors = ["cell"]', 'factors = ["cel"]', "did you mean 'cell'"),
        ('group = "item"', 'group = "items"', "did you mean 'item'"),
        ('of = "intercept"', 'of = "intercpt"', "did you mean 'intercept'"),
        ('needs = "cluster"', 'need = "cluster"', "did you mean 'needs'"),
        ('family = "normal"', 'family = "norml"', "did you mean 'normal'"),
        ("sd = 1.5", "sdd = 1.5", "did you mean 'sd'"),
        ('option = "block_slope"', 'option = "block_slopes"', "did you mean 'block_slope'"),
        ('option = "items=shared"', 'option = "items=share"', "did you mean 'shared'"),
        ('option = "items=shared"', 'option = "items"', "not a yes-no option"),
        ('prior_when."task=ceiling"', 'prior_when."task=ceilng"', "did you mean 'ceiling'"),
        ('"shift.sigma_item"', '"shift.sigma_items"', "did you mean 'shift.sigma_item'"),
        ("shape = 2.0", "sd = 2.0", "'sd' is unknown"),
        ("sd = 1.5", "sd = -1.5", "must be positive"),
        ("shape = 2.0", "shape = 0.0", "must be positive"),
        ('question = "How', 'question = "How" "', "not valid TOML"),
    ],
)
def test_a_wrong_word_is_named(tmp_path, old, new, hint):
    path = broken(tmp_path, old, new)
    with pytest.raises(ConfigError) as caught:
        read_model_file(path)
    assert hint in str(caught.value)
    assert str(path) in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("line", ['verdict = "choice"\n', 'given = "all"\n', 'kind = "product"\n', "sd = 1.5\n"])
def test_a_missing_key_is_named(tmp_path, line):
    path = broken(tmp_path, line, "")
    with pytest.raises(ConfigError, match=f"{line.split()[0]!r} is missing"):
        read_model_file(path)


def test_a_reason_is_required(tmp_path):
    text = FILE.read_text(encoding="utf-8")
    start = text.index('reason = "Near uniform')
    path = tmp_path / "model.toml"
    path.write_text(text[:start] + text[text.index("\n", start) :], encoding="utf-8")
    with pytest.raises(ConfigError, match="'reason' is missing"):
        read_model_file(path)
