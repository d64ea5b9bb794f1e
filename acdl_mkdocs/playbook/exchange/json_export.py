"""A playbook as JSON for programs: everything, all keys always present, one documented and versioned schema.

The schema is `assets/playbook-export.schema.json`. Reading also accepts the data of a playbook file.
"""

import json
from dataclasses import fields

from acdl_mkdocs.foundation.errors import PlaybookDataError
from acdl_mkdocs.foundation.safe_text import json_text
from acdl_mkdocs.playbook.exchange.read_lessons import Problem, ReadPlaybook, TextChecker, safe_playbook
from acdl_mkdocs.playbook.model.bullets import Bullet, Pair, Playbook, Policy
from acdl_mkdocs.playbook.model.plain import playbook_data, playbook_of, policy_data, source_data
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.strict_json import JsonFault, strict_json

FORMAT = "acdl-playbook"


def write(playbook: Playbook) -> str:
    """Write everything, in the order of the playbook."""
    return json_text(export_data(playbook), 2) + "\n"


def export_data(playbook: Playbook) -> dict[str, Json]:
    """Return the export as plain data."""
    data = playbook_data(playbook)
    policy: dict[str, Json] = {each.name: getattr(playbook.policy, each.name) for each in fields(Policy)}
    policy |= policy_data(playbook.policy)
    return {
        "format": FORMAT,
        "schema_version": data["schema_version"],
        "name": playbook.name,
        "revision": playbook.revision,
        "policy": policy,
        "sections": data["sections"],
        "bullets": [_bullet(each) for each in playbook.bullets],
        "pairs": [{field.name: getattr(each, field.name) for field in fields(Pair)} for each in playbook.pairs],
    }


def _bullet(bullet: Bullet) -> dict[str, Json]:
    data: dict[str, Json] = {}
    for each in fields(Bullet):
        value = getattr(bullet, each.name)
        data[each.name] = list(value) if isinstance(value, tuple) else value
    data["source"] = [source_data(each) for each in bullet.source]
    return data


def read(text: str) -> ReadPlaybook:
    """Read the playbook of an export, in the order of the text; all of it, or nothing."""
    try:
        data = strict_json(text.removeprefix("\ufeff"))
    except JsonFault as fault:
        return ReadPlaybook(None, (Problem(None, f"is not JSON: {fault}"),))
    if not isinstance(data, dict) or "bullets" not in data:
        return ReadPlaybook(None, (Problem(None, "is not a playbook", "export one with `--format json`"),))
    format_name = data.pop("format", FORMAT)
    if format_name != FORMAT:
        return ReadPlaybook(
            None, (Problem(None, f"`format` is {json.dumps(format_name)[:80]}", f'"{FORMAT}" is read'),)
        )
    try:
        playbook = playbook_of(_without_nulls(data))
    except PlaybookDataError as fault:
        return ReadPlaybook(None, (Problem(None, str(fault)),))
    wrong = TextChecker()
    playbook = safe_playbook(playbook, wrong)
    return ReadPlaybook(None if wrong.faults else playbook, tuple(Problem(None, each) for each in wrong.faults))


def _without_nulls(data: Json) -> Json:
    """Remove keys without a value."""
    if isinstance(data, dict):
        return {key: _without_nulls(value) for key, value in data.items() if value is not None}
    return [_without_nulls(each) for each in data] if isinstance(data, list) else data
