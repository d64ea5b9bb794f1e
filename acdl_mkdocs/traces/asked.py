"""`Asked`: what calls of tools ask for, so that results can be compared by the calls that they belong to."""

import json
from collections.abc import Iterable

from acdl_mkdocs.evaluation.values import shortened
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Call, Json


@dataclass(frozen=True, slots=True)
class Asked:
    """What a call asks for: equal for calls that ask for the same, whatever their ids."""

    tool: str
    args: str
    number: int = 0
    """Among calls of one message that ask for the same."""

    def __str__(self) -> str:
        """As messages name it: `temp(town="Oslo")`."""
        return f"{self.tool}({shortened(self.args)})"


def asked_by(calls: Iterable[Call]) -> list[Asked]:
    """What the calls of one message ask for."""
    found: list[Asked] = []
    counts: dict[tuple[str, str], int] = {}
    for call in calls:
        key = call.tool, ", ".join(f"{name}={_spelled(value)}" for name, value in sorted(call.args.items()))
        counts[key] = counts.get(key, -1) + 1
        found.append(Asked(*key, counts[key]))
    return found


def _spelled(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
