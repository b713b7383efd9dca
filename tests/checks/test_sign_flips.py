"""Sign flips: the convolution against every flip written out, its symmetry, and its p-values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from judgestats.checks.sign_flips import sign_flip_law


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=0, max_size=9))
def test_convolution_equals_all_flips_written_out(numbers: list[int]) -> None:
    law = sign_flip_law(np.array(numbers, dtype=np.int64))
    assert law is not None
    sums = [sum(s * x for s, x in zip(signs, numbers, strict=True)) for signs in product((-1, 1), repeat=len(numbers))]
    found = np.bincount(np.array(sums) + law.reach, minlength=2 * law.reach + 1) / len(sums)
    np.testing.assert_allclose(law.mass, found, atol=1e-15)
    assert set(law.values.tolist()) == set(sums)
    for value in set(sums):
        upper, lower = (np.mean(np.array(sums) >= value), np.mean(np.array(sums) <= value))
        assert law.p_value(np.array([value]))[0] == pytest.approx(min(1.0, 2 * min(upper, lower)), abs=1e-12)
    assert law.smallest_p == pytest.approx(law.p_value(np.array([law.reach]))[0], rel=1e-12)


def test_equal_steps_are_the_sign_test() -> None:
    # 7 up against 1 down by one step each: twice P(Bin(8, 1/2) >= 7) = 2 (8 + 1)/256 = .0703.
    law = sign_flip_law(np.array([1] * 7 + [-1]))
    assert law is not None
    assert law.p_value(np.array([6]))[0] == pytest.approx(binomtest(7, 8).pvalue, rel=1e-12)
    assert law.p_value(np.array([6]))[0] == pytest.approx(18 / 256, rel=1e-12)


def test_far_tail_keeps_its_digits() -> None:
    law = sign_flip_law(np.full(300, 3))
    assert law is not None
    assert law.p_value(np.array([900]))[0] == pytest.approx(2.0**-299, rel=1e-9)


def test_too_long_a_convolution_is_refused() -> None:
    # 10 numbers of reach 45: 10 x 91 additions.
    assert sign_flip_law(np.arange(10), limit=800) is None
    assert sign_flip_law(np.arange(10), limit=900) is not None
