"""Canonical text of a playbook, read bullet by bullet: three times as fast as any YAML.

What is found is only taken if writing it gives the very text that was read; so it is what a reader of YAML finds, who
reads whatever was written as what it was. Everything else is left to that reader.
"""

from collections.abc import Mapping

from acdl_mkdocs.foundation.errors import PlaybookDataError
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.playbook.bullets import Bullet
from acdl_mkdocs.playbook.content import clean
from acdl_mkdocs.playbook.plain import bullet_of
from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.store.write_playbook import Known, bullet_text
from acdl_mkdocs.store.yaml_nodes import Items, Scalar, YamlNode, read_tree, value_of

_BULLETS, _PAIRS, _BETWEEN, _FIRST = "\nbullets:\n", "\npairs:\n", "\n\n- ", "- "
_COUNTS = frozenset(("helpful", "harmful", "neutral", "seen", "added", "updated"))
_TRUTHS: Mapping[str, Json] = {"true": True, "false": False}
_MARKED = frozenset("\"'[{")
"""What texts in quotes, lists and maps begin with."""
_BLOCK = frozenset("|>")
_NOT_A_KEY = frozenset(" -")


def split(text: str) -> tuple[str, str] | None:
    """The text without the bullets, and that of the bullets; `None` if there are none."""
    start = text.find(_BULLETS)
    first = start + len(_BULLETS)
    if start < 0 or not text.startswith(_FIRST, first):
        return None
    end = text.find(_PAIRS, first)
    end = len(text) if end < 0 else end + 1
    return f"{text[: start + 1]}bullets: []\n{text[end:]}", text[first:end]


def read_bullets(text: str, known: Known) -> tuple[Bullet, ...] | None:
    """The bullets of the text between `bullets:` and `pairs:`; `None` if it is not canonical, or something is wrong.

    Each is put into `known` with its text.
    """
    found = []
    flows: dict[str, Json] = {}
    try:
        for part in text.removeprefix(_FIRST).removesuffix("\n").split(_BETWEEN):
            bullet = bullet_of(_plain(part, flows) or _any(part))
            cleaned = clean(bullet.content)
            known[bullet] = bullet_text(bullet)
            if known[bullet] != f"{_FIRST}{part}\n" or cleaned.problems or cleaned.text != bullet.content:
                return None
            found.append(bullet)
    except (ValueError, PlaybookDataError):
        return None
    return tuple(found)


def _plain(text: str, flows: dict[str, Json]) -> dict[str, Json] | None:
    """The data of a bullet whose keys have a line each; `None` if it has others."""
    data: dict[str, Json] = {}
    for line in text.split("\n  "):
        key, mark, value = line.partition(": ")
        if not mark or key[:1] in _NOT_A_KEY or value[:1] in _BLOCK:
            return None
        if key in _COUNTS:
            data[key] = int(value)
        elif value[:1] in _MARKED:
            if value not in flows:
                flows[value] = _value(value)
            data[key] = flows[value]
        else:
            data[key] = _TRUTHS.get(value, value)
    return data


def _any(text: str) -> Json:
    """The data of any bullet."""
    data = _value(f"{_FIRST}{text}\n")
    return data[0] if isinstance(data, list) and len(data) == 1 else None


def _value(text: str) -> Json:
    tree = read_tree(Source(text))
    return None if tree.root is None or tree.problems else _data(tree.root)


def _data(node: YamlNode) -> Json:
    if isinstance(node, Scalar):
        return value_of(node)
    if isinstance(node, Items):
        return [_data(each) for each in node.items]
    return {str(_data(key)): _data(value) for key, value in zip(node.keys, node.values, strict=True)}
