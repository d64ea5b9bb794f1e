"""Values of a model's reply, read as they are meant: lists for texts, texts for truth values, maps for lists."""

from collections.abc import Collection, Iterator
from typing import cast, get_args

from acdl_mkdocs.playbook.bullets import TagName
from acdl_mkdocs.prompts.prompt import Json

MAX_ID = 64
_MAX_SHOWN = 40


def words(value: Json) -> str:
    """A value as text that can be written to any file: nothing for null, elements of a list joined by commas."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(text for each in value if (text := words(each)))
    text = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def fact(value: Json) -> bool:
    """Whether a value says that something is so: `true`, or the word for it."""
    return value is True or (isinstance(value, str) and value.strip().lower() == "true")


def ids(value: Json) -> Iterator[str]:
    """Ids of a list, or a single one, with or without brackets."""
    for each in [value] if isinstance(value, str) else value if isinstance(value, list) else ():
        if isinstance(each, str) and (name := each.strip().strip("[]").strip()):
            yield name[:MAX_ID]


def tags(value: Json, known: Collection[str]) -> tuple[dict[str, TagName], tuple[str, ...]]:
    """The first tag of each bullet, and what was dropped.

    Parameters:
        value: A list of `{"id": …, "tag": …}`, or a map of ids to tags.
        known: The bullets that may be tagged.
    """
    found: dict[str, TagName] = {}
    dropped: list[str] = []
    for name, tag in _pairs(value):
        if name in known and tag in get_args(TagName):
            found.setdefault(name, cast(TagName, tag))
        else:
            dropped.append(f"{name or '?'}: {tag[:_MAX_SHOWN] or '?'}")
    return found, tuple(dropped)


def _pairs(value: Json) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        given: list[tuple[Json, Json]] = [*value.items()]
    else:
        data = [each if isinstance(each, dict) else {} for each in (value if isinstance(value, list) else ())]
        given = [(each.get("id") or each.get("bullet_id"), each.get("tag")) for each in data]
    for name, tag in given:
        yield next(ids([name]), ""), words(tag).lower()
