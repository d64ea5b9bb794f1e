"""The recorded requests that a prompt describes, by the comment above it: `// requests: system="You plan" model=m-*`.

A file with such comments is checked as a whole: each request against the prompt that claims it.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.errors import TraceError
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.runs.check_files import RunRequests
from acdl_mkdocs.runs.points import count_points
from acdl_mkdocs.runs.read.recorded import Recorded
from acdl_mkdocs.runs.requests import matches_request, read_only

Claim: TypeAlias = Mapping[str, str]
"""The requests of a prompt, by the keys of `requests.KEYS`; empty for those that no other prompt claims."""

_OTHERS = "others"
_WORD = re.compile(r"""(?P<key>[^\s="]+)=(?:"(?P<quoted>(?:\\.|[^"\\])*)"|(?P<bare>\S*))|(?P<other>\S+)""")
_ESCAPE = re.compile(r"\\(.)")


def parse_claim(text: str) -> Claim:
    """Parse the words of a comment, such as `system="You plan" model=gpt-*`, or `others`.

    Raises:
        TraceError: They do not say which requests.
    """
    if text.strip() == _OTHERS:
        return {}
    words: list[str] = []
    for match in _WORD.finditer(text):
        value = match["bare"] if match["quoted"] is None else _ESCAPE.sub(r"\1", match["quoted"])
        words.append(match["other"] or f"{match['key']}={value}")
    return read_only(words or [""])


def format_claim(claim: Claim) -> str:
    """Return the words of a comment that `parse_claim()` reads."""
    quoted = ((key, value.replace("\\", "\\\\").replace('"', '\\"')) for key, value in claim.items())
    return " ".join(f'{key}="{value}"' for key, value in quoted) or _OTHERS


def split_requests(
    runs_read: RunRequests, claims: Mapping[str, Claim], first: Time | None = None, *, is_partial: bool = False
) -> dict[str, RunRequests]:
    """Return the requests of each prompt, with points that count them alone.

    Parameters:
        runs_read: The requests of all prompts.
        claims: What each prompt claims, by its name.
        first: Point of the first request of each run.
        is_partial: Whether requests that no prompt claims are left out.

    Raises:
        TraceError: No prompt claims a request, or several do.
    """
    rest = [name for name, claim in claims.items() if not claim]
    if len(rest) > 1:
        raise TraceError(
            f"`{rest[0]}` and `{rest[1]}` both describe all other requests; write `// requests: ...` above one of them"
        )
    owned: dict[str, list[Recorded]] = {name: [] for name in claims}
    unclaimed: list[Recorded] = []
    for each, _ in runs_read.requests:
        owner = _find_owner(each, claims)
        (unclaimed if owner is None else owned[owner]).append(each)
    if unclaimed and not is_partial:
        number = format_count(len(unclaimed), "request")
        verb = "matches" if len(unclaimed) == 1 else "match"
        cure = "describe them in a comment `// requests: ...` above a prompt, or select requests with `--only`"
        raise TraceError(f"{unclaimed[0].origin}: {number} {verb} no prompt of the file; {cure}")
    return {name: replace(runs_read, requests=tuple(count_points(mine, first))) for name, mine in owned.items()}


def _find_owner(recorded: Recorded, claims: Mapping[str, Claim]) -> str | None:
    """Return the prompt that claims a request.

    Raises:
        TraceError: Several do.
    """
    owners = [name for name, claim in claims.items() if claim and matches_request(recorded, claim)]
    if len(owners) > 1:
        names = " and ".join(f"`{name}`" for name in owners[:2])
        raise TraceError(
            f"{recorded.origin}: {names} both claim this request; make their `// requests:` comments differ"
        )
    return next(iter(owners), None) or next((name for name, claim in claims.items() if not claim), None)
