"""Numbers and tables in Markdown."""

from collections.abc import Sequence
from decimal import Decimal


def number(value: float) -> str:
    """Three digits that count, without an exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{Decimal(f'{value:.3g}'):f}"


def table(cells: Sequence[Sequence[str]], *, is_padded: bool = False) -> str:
    """Rows under a head, without empty cells; padded, they can be read in a terminal."""
    cells = [[cell or "–" for cell in line] for line in cells]
    widths = [max(len(line[idx]) for line in cells) if is_padded else 0 for idx in range(len(cells[0]))]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in cells]
    lines.insert(1, " | ".join("-" * max(3, width) for width in widths))
    return "\n".join(f"| {line} |" for line in lines)
