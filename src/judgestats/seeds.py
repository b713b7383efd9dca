"""Seeds: one integer, split into independent named streams."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Seed:
    """One root seed and the streams that are split from it by name.

    Two streams of different names are independent; the same name gives the same numbers whatever else ran before,
    so a resumed run and an undisturbed run agree.

    Parameters
    ----------
    root : int
        Non-negative integer, stored in the provenance of every result.
    """

    root: int

    def __post_init__(self) -> None:
        if self.root < 0:
            raise ValueError(f"seed must be a non-negative integer, got {self.root}")

    def sequence(self, name: str) -> np.random.SeedSequence:
        """Return the seed sequence of the stream `name`."""
        digest = hashlib.sha256(name.encode("utf-8")).digest()
        words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
        return np.random.SeedSequence([self.root, *words])

    def generator(self, name: str) -> np.random.Generator:
        """Return a fresh NumPy generator for the stream `name`."""
        return np.random.default_rng(self.sequence(name))

    def integer(self, name: str) -> int:
        """Return a 31-bit integer for engines that take an integer seed."""
        return int(self.sequence(name).generate_state(1)[0] >> 1)
