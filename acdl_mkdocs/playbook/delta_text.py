"""The text of a delta as plain data: JSON, YAML, or whatever a model wrote around it.

Knows nothing about operations.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import cast

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.yaml.nodes import MOST_DIGITS, Items, Scalar, YamlNode, plain_value
from acdl_mkdocs.foundation.yaml.read import read_yaml
from acdl_mkdocs.playbook.plain import shown
from acdl_mkdocs.prompts.prompt import Json

MAX_DEPTH = 20
_MOST_TRIES = 200
"""Places of a model's answer where the delta may begin."""


class UnreadableError(Exception):
    """A text is neither JSON nor YAML, or has what no delta has."""


def data_of(text: str) -> Json:
    """The plain data of a text: JSON if it is JSON, else YAML.

    Raises:
        UnreadableError: It is neither, or nothing that JSON holds.
    """
    is_json = text.lstrip()[:1] in ("{", "[")
    try:
        return _shallow(_from_json(text))
    except json.JSONDecodeError as problem:
        reason = f"line {problem.lineno}, column {problem.colno}: {problem.msg[:1].lower()}{problem.msg[1:]}"
    except (ValueError, RecursionError) as problem:
        deep = f"lists and maps are nested deeper than {MAX_DEPTH}"
        raise UnreadableError(deep if isinstance(problem, RecursionError) else str(problem)) from None
    source = Source(text, "<delta>")
    read = read_yaml(source)
    if read.problems or read.root is None:
        said = read.problems[0] if read.problems else None
        if is_json or said is None:
            raise UnreadableError(f"the delta is not JSON: {reason}")
        line = source.line_index(said.label.span.start) + 1
        raise UnreadableError(f"the delta is not YAML: line {line}: {said.message}")
    return _plain(read.root, 0)


def _from_json(text: str) -> Json:
    return cast(Json, json.loads(text, object_pairs_hook=_map, parse_constant=_no_number, parse_int=_number))


def _map(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise ValueError(f"the delta has the key `{twice[:80]}` twice in one map")
    return found


def _no_number(word: str) -> Json:
    raise ValueError(f"the delta has `{word}`, which is no number of JSON")


def _number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"the delta has a number of {len(digits):,} digits")
    return int(digits)


def _shallow(data: Json) -> Json:
    level: list[Json] = [data]
    for _ in range(MAX_DEPTH):
        level = [
            each
            for one in level
            if isinstance(one, list | dict)
            for each in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return data
    raise UnreadableError(f"lists and maps are nested deeper than {MAX_DEPTH}")


def _plain(node: YamlNode, depth: int) -> Json:
    if depth > MAX_DEPTH:
        raise UnreadableError(f"lists and maps are nested deeper than {MAX_DEPTH}")
    if isinstance(node, Scalar):
        try:
            return plain_value(node)
        except ValueError as problem:
            raise UnreadableError(f"{shown(node.text)} {problem}") from None
    if isinstance(node, Items):
        return [_plain(each, depth + 1) for each in node.items]
    try:
        return _map([(key.text, _plain(value, depth + 1)) for key, value in node.pairs])
    except ValueError as problem:
        raise UnreadableError(str(problem)) from None


def inside(text: str) -> Json:
    """The first delta in a model's answer, or the first map that could be one; `None` if there is none."""
    first: Json = None
    for found in _values(text):
        if isinstance(found, dict) and "operations" in found:
            return found
        is_list = isinstance(found, list) and found and all(isinstance(each, dict) for each in found)
        if first is None and (is_list or (isinstance(found, dict) and "type" in found)):
            first = found if is_list else [found]
    return first


def _values(text: str) -> Iterator[Json]:
    decoder = json.JSONDecoder(object_pairs_hook=_map, parse_constant=_no_number, parse_int=_number)
    at = 0
    for _ in range(_MOST_TRIES):
        opening = re.compile(r"[{\[]").search(text, at)
        if opening is None:
            return
        try:
            value, at = decoder.raw_decode(text, opening.start())
            yield _shallow(value)
        except (ValueError, RecursionError, UnreadableError):
            at = opening.end()
