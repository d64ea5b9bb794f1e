"""Pinned request bodies: `data/<case>.<format>.json`."""

import json
from pathlib import Path

from acdl_mkdocs.prompts.prompt import Json

DATA = Path(__file__).parent / "data"


def fixtures(case: str = "*") -> list[Path]:
    """The bodies of a case."""
    found = sorted(DATA.glob(f"{case}.*.json"))
    assert found, f"there is no fixture {case}"
    return found


def body_of(path: Path) -> dict[str, Json]:
    """A pinned body."""
    body = json.loads(path.read_text("utf-8"))
    assert isinstance(body, dict)
    return body
