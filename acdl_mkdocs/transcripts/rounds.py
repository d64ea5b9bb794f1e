"""Rounds of loops and uses of fragments in few words: `@t=2`, `doc=a.md`, `ToolUse`."""

from collections.abc import Sequence

from acdl_mkdocs.evaluation.transcript import Round

_MOST = 24
"""Characters of a value; more say nothing to a reader."""


def shown(stack: Sequence[Round]) -> str:
    """All rounds, the outermost first."""
    return " ".join(map(_one, stack))


def _one(each: Round) -> str:
    if each.kind == "fragment":
        return each.name
    value = " ".join(each.value.split())
    value = value if len(value) <= _MOST else f"{value[: _MOST - 1]}…"
    return f"@{each.name}={value[1:]}" if value.startswith("@") else f"{each.name}={value}"
