"""Standard coordinates: one flat unconstrained vector in which every prior of a model is a standard one."""

from __future__ import annotations

from typing import Any


class Coordinates:
    """Hands out the elements of a flat vector as standard normal and standard half-normal parameters.

    A sampler then moves one array instead of one per parameter, which compiles and runs several times faster. Normal
    parameters are taken as they are; a positive one is exp(y) with y unconstrained, whose half-normal density carries
    the Jacobian. `log_prior` is what all elements handed out so far contribute, without constants.

    Parameters
    ----------
    vector : jax.Array, dims (element,)
        The unconstrained point.
    """

    def __init__(self, vector: Any) -> None:
        self._vector = vector
        self._used = 0
        self.log_prior: Any = 0.0

    @property
    def used(self) -> int:
        """Number of elements handed out."""
        return self._used

    def normal(self, size: int) -> Any:
        """Return the next `size` standard normal parameters."""
        part = self._take(size)
        self.log_prior = self.log_prior - 0.5 * (part**2).sum()
        return part

    def positive(self, size: int) -> Any:
        """Return the next `size` standard half-normal parameters."""
        import jax.numpy as jnp

        part = self._take(size)
        values = jnp.exp(part)
        # log of exp(-s^2 / 2) ds/dy with s = exp(y)
        self.log_prior = self.log_prior + (part - 0.5 * values**2).sum()
        return values

    def free(self, size: int) -> Any:
        """Return the next `size` elements as they are; their density is the caller's."""
        return self._take(size)

    def _take(self, size: int) -> Any:
        part = self._vector[self._used : self._used + size]
        self._used += size
        return part
