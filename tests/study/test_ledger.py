"""The ledger and codec: pieces are made once, read back exactly, and never half written."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgestats.checks.falsification import Falsification
from judgestats.checks.finding import ItemRow
from judgestats.draws.record import Record
from judgestats.study.codec import decode, encode
from judgestats.study.ledger import Ledger

FLOATS = st.floats(allow_nan=False)


@given(
    name=st.text(max_size=12),
    values=st.lists(FLOATS, max_size=5),
    rope=st.one_of(st.none(), st.tuples(FLOATS, FLOATS)),
    lost=st.dictionaries(st.text(max_size=5), st.integers(0, 10**9), max_size=3),
)
def test_dataclasses_come_back_equal(
    name: str, values: list[float], rope: tuple[float, float] | None, lost: dict[str, int]
) -> None:
    rows = tuple(
        Record(name, None, "delta_p", "shift", "m", "exact", "probability", mean=v, rope=rope, n_lost=lost)
        for v in values
    )
    assert decode(tuple[Record, ...], json.loads(json.dumps(encode(rows)))) == rows


def test_arrays_and_infinities_come_back_equal() -> None:
    null = np.array([0.1, -np.inf, 1 / 3])
    given_ = Falsification(
        "j",
        "d",
        "within_item",
        "s",
        0.1,
        0.2,
        null,
        np.full(3, 1 / 3),
        3,
        2,
        0,
        0.5,
        0.4,
        0.6,
        0.25,
        None,
        False,
        ("n",),
    )
    back = decode(Falsification, json.loads(json.dumps(encode(given_))))
    assert isinstance(back.null, np.ndarray)
    assert isinstance(back.null_weights, np.ndarray)
    assert np.array_equal(back.null, null)
    assert (back.p_max, back.notes, back.enumerated) == (None, ("n",), False)


def test_what_has_no_plain_form_is_refused() -> None:
    with pytest.raises(TypeError, match="set cannot be stored"):
        encode({"a": {1}})


class Maker:
    """Counts how often a piece is made."""

    def __init__(self, value: float) -> None:
        self.value = value
        self.calls = 0

    def __call__(self) -> tuple[ItemRow, ...]:
        self.calls += 1
        warnings.warn(f"made {self.value}", RuntimeWarning, stacklevel=1)
        return (ItemRow("j", "d", "i", "shift", 1, 1, 1, 0, self.value, -1.0, 1.0),)


def test_a_piece_is_made_once_and_its_warnings_are_kept(tmp_path: Path) -> None:
    make = Maker(1 / 3)
    first, second = Ledger(tmp_path), Ledger(tmp_path)
    made = first.piece("items", {"seed": 1}, tuple[ItemRow, ...], make)
    read = second.piece("items", {"seed": 1}, tuple[ItemRow, ...], make)
    assert made == read
    assert make.calls == 1
    assert (first.made, first.reused, second.made, second.reused) == (["items"], [], [], ["items"])
    assert first.warnings() == second.warnings() == ("RuntimeWarning: made 0.3333333333333333",)


def test_another_key_makes_it_anew_and_forgets_the_old(tmp_path: Path) -> None:
    make = Maker(1.0)
    for seed in (1, 2, 1):
        Ledger(tmp_path).piece("items", {"seed": seed}, tuple[ItemRow, ...], make)
    assert make.calls == 3
    Ledger(tmp_path).piece("items-more", {"seed": 1}, tuple[ItemRow, ...], make)
    names = sorted(path.name.rsplit("-", 1)[0] for path in (tmp_path / ".judgestats").iterdir())
    assert names == ["items", "items-more"]


def test_a_piece_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> tuple[ItemRow, ...]:
        raise KeyboardInterrupt

    ledger = Ledger(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        ledger.piece("items", {}, tuple[ItemRow, ...], fail)
    assert not ledger.holds("items", {})
    assert not list(tmp_path.rglob("*items*"))


def test_fresh_ignores_what_is_there(tmp_path: Path) -> None:
    make = Maker(1.0)
    Ledger(tmp_path).piece("items", {}, tuple[ItemRow, ...], make)
    Ledger(tmp_path, fresh=True).piece("items", {}, tuple[ItemRow, ...], make)
    assert make.calls == 2
