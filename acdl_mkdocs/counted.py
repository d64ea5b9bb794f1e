"""`counted()`: a number with its noun, as sentences say it."""


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 error", "2 errors"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
