"""How much a PML document may ask for before it is refused: a clear error, never a hang."""

from acdl_mkdocs.foundation.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that one document may have."""

    size_bytes: int = 32_000_000
    depth: int = 64
    """Elements inside elements."""
    elements: int = 100_000
    attributes: int = 256
    """Of one element."""
    all_attributes: int = 500_000
    """Of all elements together."""
    repairs: int = 1_000
    """In lenient reading; what needs more is no PML."""


LIMITS = Limits()
