"""Deltas and what becomes of them: `golden/curate/<case>.yaml` and, beside it, `<case>.after.yaml`."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from acdl_mkdocs.playbook.model.bullets import Bullet
from acdl_mkdocs.playbook.model.curate import Curated, curate, curation_of
from acdl_mkdocs.playbook.model.delta import delta_of
from acdl_mkdocs.playbook.model.plain import playbook_data, playbook_of
from acdl_mkdocs.playbook.model.report import Applied

CASES = sorted(
    path for path in (Path(__file__).parent.parent / "golden" / "curate").glob("*.yaml") if ".after" not in path.name
)


@pytest.mark.parametrize("path", CASES, ids=[path.stem for path in CASES])
def test_curated(path: Path, request: pytest.FixtureRequest) -> None:
    """The playbook and the report are as expected, to the letter."""
    case = yaml.safe_load(path.read_text("utf-8"))
    playbook = playbook_of({"schema_version": 1, "name": "case", "revision": 9, **case["playbook"]})
    actual = as_text(curate(playbook, delta_of(case["delta"]), curation_of(playbook, case.get("actor", "curator"))))
    expected = path.with_suffix(".after.yaml")
    if request.config.getoption("--update-golden"):
        expected.write_text(actual, "utf-8")
    assert actual == expected.read_text("utf-8"), f"{expected.name} differs; if intended: pytest --update-golden"


def as_text(curated: Curated) -> str:
    """The report and the playbook for readers."""
    whole: dict[str, Any] = {
        "applied": [told(each) for each in curated.report.applied],
        "rejected": [str(each) for each in curated.report.rejected],
        "playbook": playbook_data(curated.playbook),
    }
    text: str = yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=110)
    return text


def told(each: Applied) -> dict[str, Any]:
    """What a line of the report says beside the bullet itself."""
    found: dict[str, Any] = {
        "op": each.op,
        "path": each.path,
        "id": each.id,
        "other": each.other,
        "reason": each.reason,
    }
    found |= {"note": each.note, "change": changed(each.before, each.after)}
    return {key: value for key, value in found.items() if value}


def changed(before: Bullet | None, after: Bullet | None) -> str:
    """How a bullet changed in a word."""
    return "" if before == after else "new" if before is None else "gone" if after is None else "changed"


def test_there_are_cases() -> None:
    """The folder is where the test looks."""
    assert len(CASES) >= 6
