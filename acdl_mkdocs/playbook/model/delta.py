"""A delta written as JSON or YAML, as operations; what cannot be understood is set aside with its reason.

Never raises for the content of a text. `curate` checks whether an operation fits a playbook.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast, get_args

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.foundation.yaml.nodes import MOST_DIGITS, Scalar, YamlList, YamlNode, plain_value
from acdl_mkdocs.foundation.yaml.read import read_yaml
from acdl_mkdocs.playbook.model.bullets import Severity, TagName
from acdl_mkdocs.playbook.model.edits import Operation
from acdl_mkdocs.playbook.model.operations import OPERATIONS
from acdl_mkdocs.playbook.model.plain import format_value
from acdl_mkdocs.playbook.model.report import Rejected
from acdl_mkdocs.prompts.prompt import Json

MAX_DEPTH = 20
_TOO_DEEP = f"lists and maps are nested deeper than {MAX_DEPTH}"
_MOST_TRIES = 200
"""Limit of positions in a model's answer that are tried as the start of the delta."""
_LIKE_JSON = re.compile(r'\{\s*+"|\[\s*+\{\s*+"')
"""The beginning of a map, or of a list of maps, rather than of words in brackets."""


class UnreadableError(Exception):
    """A text is neither JSON nor YAML, or contains what no delta has."""

    def __init__(self, message: str, cure: str = "") -> None:
        super().__init__(message)
        self.cure = cure
        """What to do; empty if only an example helps."""


def data_of(text: str) -> Json:
    """Return the plain data of a text: JSON if it is JSON, else YAML.

    Raises:
        UnreadableError: It is neither, or contains values that JSON does not have.
    """
    is_json = text.lstrip()[:1] in ("{", "[")
    try:
        return _check_depth(_from_json(text))
    except json.JSONDecodeError as problem:
        reason = _explain_json(problem)
    except (ValueError, RecursionError) as problem:
        raise UnreadableError(_TOO_DEEP if isinstance(problem, RecursionError) else str(problem)) from None
    source = Source(text, "<delta>")
    read = read_yaml(source)
    if read.problems or read.root is None:
        yaml_problem = read.problems[0] if read.problems else None
        if is_json or yaml_problem is None:
            raise UnreadableError(f"the delta is not JSON: {reason}")
        line = source.line_index(yaml_problem.label.span.start) + 1
        raise UnreadableError(f"the delta is not YAML: line {line}: {yaml_problem.message}", *yaml_problem.help[:1])
    return _node_data(read.root, 0)


def _explain_json(problem: ValueError) -> str:
    """Return where a text is not JSON, and why."""
    if not isinstance(problem, json.JSONDecodeError):
        return str(problem)
    return f"line {problem.lineno}, column {problem.colno}: {problem.msg[:1].lower()}{problem.msg[1:]}"


def _from_json(text: str) -> Json:
    return cast(
        Json, json.loads(text, object_pairs_hook=_build_map, parse_constant=_refuse_constant, parse_int=_number)
    )


def _build_map(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise ValueError(f"the delta has the key `{twice[:80]}` twice in one map")
    return values


def _refuse_constant(word: str) -> Json:
    raise ValueError(f"the delta has `{word}`, which is not a JSON number")


def _number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"the delta has a number of {len(digits):,} digits")
    return int(digits)


def _check_depth(data: Json) -> Json:
    level: list[Json] = [data]
    for _ in range(MAX_DEPTH):
        level = [
            each
            for one in level
            if isinstance(one, (list, dict))
            for each in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return data
    raise UnreadableError(_TOO_DEEP)


def _node_data(node: YamlNode, depth: int) -> Json:
    if depth > MAX_DEPTH:
        raise UnreadableError(_TOO_DEEP)
    if isinstance(node, Scalar):
        try:
            return plain_value(node)
        except ValueError as problem:
            raise UnreadableError(f"{format_value(node.text)} {problem}") from None
    if isinstance(node, YamlList):
        return [_node_data(each, depth + 1) for each in node.items]
    try:
        return _build_map([(key.text, _node_data(value, depth + 1)) for key, value in node.pairs])
    except ValueError as problem:
        raise UnreadableError(str(problem)) from None


def find_delta(text: str) -> Json:
    """Find the delta in a model's answer, or operations outside of one; `None` if there is neither.

    Models draft before they answer, so the last delta is taken. The parts of a delta that is not whole are not taken,
    since the others would be lost.

    Raises:
        UnreadableError: There is only such a delta.
    """
    delta: Json = None
    operations: list[Json] = []
    broken: ValueError | None = None
    for value in _values(text):
        if isinstance(value, ValueError):
            broken = broken or value
        elif isinstance(value, dict) and "operations" in value:
            delta = value
        elif isinstance(value, dict) and "type" in value:
            operations.append(value)
        elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            operations += value
    if delta is None and broken is not None:
        delta = _find_yaml_delta(text)
        if delta is None:
            raise UnreadableError(f"the delta in the answer is not whole JSON: {_explain_json(broken)}")
    return delta if delta is not None else operations or None


def _find_yaml_delta(text: str) -> Json:
    """Return the delta that a whole text is as YAML, which allows a last comma, if so."""
    try:
        data = data_of(text)
    except UnreadableError:
        return None
    return data if isinstance(data, list) or (isinstance(data, dict) and "operations" in data) else None


def _values(text: str) -> Iterator[Json | ValueError]:
    """Yield the JSON values in a text, and the error of each that begins like one and is not."""
    decoder = json.JSONDecoder(
        object_pairs_hook=_build_map, parse_constant=_refuse_constant, parse_int=_number, strict=False
    )
    at = 0
    for _ in range(_MOST_TRIES):
        opening = re.compile(r"[{\[]").search(text, at)
        if opening is None:
            return
        try:
            value, at = decoder.raw_decode(text, opening.start())
            yield _check_depth(value)
        except (ValueError, RecursionError, UnreadableError) as problem:
            at = opening.end()
            if _LIKE_JSON.match(text, opening.start()):
                yield problem if isinstance(problem, ValueError) else ValueError(_TOO_DEEP)


MAX_CHARACTERS = 1_000_000
MAX_OPERATIONS = 1_000
_KEYS = ("reasoning", "operations", "revision")
_OTHER_NAMES = {"DELETE": "REMOVE", "ARCHIVE": "REMOVE", "CREATE": "ADD", "INSERT": "ADD", "EDIT": "UPDATE"}
_OTHER_NAMES |= {"MODIFY": "UPDATE", "REPLACE": "UPDATE", "VOTE": "TAG", "COMBINE": "MERGE", "RESTORE": "REVIVE"}
_OTHER_NAMES |= {"ACCEPT": "APPROVE", "REJECT": "REMOVE"}
_EXAMPLE = '`{"reasoning": "…", "operations": [{"type": "ADD", "section": "general", "content": "…"}]}`'


@dataclass(frozen=True, slots=True)
class DeltaOperation:
    """An operation and its path in the delta."""

    path: str
    """Its path in the delta: `operations[2]`."""
    operation: Operation
    """The operation, such as an ADD."""


@dataclass(frozen=True, slots=True)
class Delta:
    """Operations for a playbook, and the reasoning behind them."""

    reasoning: str = ""
    """Why the operations are proposed, in words; may be empty."""
    operations: tuple[DeltaOperation, ...] = ()
    """The operations, in order."""
    rejected: tuple[Rejected, ...] = ()
    """The parts that were not understood."""
    revision: int | None = None
    """The revision of the playbook that it was written for: operations about bullets that changed since are rejected.
    `None` if that is not known."""


def make_delta(*operations: Operation, reasoning: str = "", revision: int | None = None) -> Delta:
    """Make a delta from operations."""
    placed = (DeltaOperation(f"operations[{idx}]", each) for idx, each in enumerate(operations))
    return Delta(reasoning, tuple(placed), revision=revision)


def read_delta(text: str, *, is_lenient: bool = False) -> Delta:
    """Read a delta.

    Parameters:
        text: JSON or YAML.
        is_lenient: Take the last delta out of a model's answer: the text and the fence around it are ignored.
    """
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_CHARACTERS:
        message = f"the delta has {len(text):,} characters, and at most {MAX_CHARACTERS:,} are read"
        return Delta(rejected=(Rejected("", message, "make several deltas of it"),))
    if not text.strip():
        return Delta(rejected=(Rejected("", "the delta is empty", f"write {_EXAMPLE}"),))
    try:
        data = find_delta(text) if is_lenient else None
        return delta_of(data if data is not None else data_of(text))
    except UnreadableError as problem:
        is_fenced = text.lstrip().startswith("```")
        cure = "write the delta only, without a fence" if is_fenced else problem.cure or f"write {_EXAMPLE}"
        return Delta(rejected=(Rejected("", str(problem), cure),))


def delta_of(data: Json) -> Delta:
    """Read a delta from plain data: a map, or the list of its operations."""
    fields: Mapping[str, Json] = (
        {"operations": data} if isinstance(data, list) else data if isinstance(data, dict) else {}
    )
    if not fields:
        return Delta(
            rejected=(Rejected("", f"the delta is {format_value(data)}, and a map is needed", f"write {_EXAMPLE}"),)
        )
    rejected = [_reject_unknown(str(key), "", _KEYS) for key in fields if key not in _KEYS]
    reasoning, revision = fields.get("reasoning"), fields.get("revision")
    if reasoning is not None and not isinstance(reasoning, str):
        rejected.append(Rejected("reasoning", f"is {format_value(reasoning)}, and text is needed", "put it in quotes"))
    if revision is not None and (isinstance(revision, bool) or not isinstance(revision, int) or revision < 0):
        cure = "leave it out, or write the revision of the playbook that you read"
        rejected.append(Rejected("revision", f"is {format_value(revision)}, and a whole number is needed", cure))
        return Delta(rejected=tuple(rejected))
    entries = fields.get("operations")
    if not isinstance(entries, list):
        message = "is missing" if "operations" not in fields else f"is {format_value(entries)}, and a list is needed"
        return Delta(rejected=(*rejected, Rejected("operations", message, f"write {_EXAMPLE}")))
    if len(entries) > MAX_OPERATIONS:
        message = f"has {len(entries):,} entries, and a delta has at most {MAX_OPERATIONS:,}"
        return Delta(rejected=(*rejected, Rejected("operations", message, "make several deltas of it")))
    placed: list[DeltaOperation] = []
    for idx, each in enumerate(entries):
        path = f"operations[{idx}]"
        try:
            placed.append(DeltaOperation(path, _read_operation(each)))
        except _FieldError as wrong:
            rejected.append(wrong.to_rejected(path))
    return Delta(reasoning if isinstance(reasoning, str) else "", tuple(placed), tuple(rejected), cast(Any, revision))


class _FieldError(Exception):
    """A part of an operation is invalid."""

    def __init__(self, field: str, message: str, help: str) -> None:
        super().__init__(message)
        self.field, self.message, self.help = field, message, help

    def to_rejected(self, path: str) -> Rejected:
        return Rejected(f"{path}.{self.field}" if self.field else path, self.message, self.help)


def _reject_unknown(key: str, path: str, keys: tuple[str, ...]) -> Rejected:
    near = find_closest(key[:80], keys)
    at = f"{path}.{key[:80]}" if path else key[:80]
    return Rejected(
        at, f"no key `{key[:80]}` here", f"did you mean `{near}`?" if near else f"there are {', '.join(keys)}"
    )


def _read_text(value: Json) -> str:
    if not isinstance(value, str):
        raise ValueError("text")
    return value


def _read_texts(value: Json) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError("a list of texts")
    return tuple(cast(list[str], value))


def _read_bool(value: Json) -> bool:
    if not isinstance(value, bool):
        raise ValueError("`true` or `false`")
    return value


def _make_choice_reader(*names: str) -> Callable[[Json], str]:
    def read(value: Json) -> str:
        if not isinstance(value, str) or value.lower() not in names:
            raise ValueError(f"{', '.join(f'`{name}`' for name in names[:-1])} or `{names[-1]}`")
        return value.lower()

    return read


_READERS: Mapping[str, Callable[[Json], object]] = {
    "applies_to": _read_texts,
    "bullet_id": _read_text,
    "content": _read_text,
    "id": _read_text,
    "other": _read_text,
    "others": _read_texts,
    "pinned": _read_bool,
    "publish": _read_bool,
    "reason": _read_text,
    "reference": _read_text,
    "sample": _read_text,
    "section": _read_text,
    "send": _read_bool,
    "severity": _make_choice_reader(*get_args(Severity)),
    "status": _make_choice_reader("active", "proposed"),
    "superseded_by": _read_text,
    "tag": _make_choice_reader(*get_args(TagName)),
    "title": _read_text,
}
FIELDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ADD": (("section", "content"), ("applies_to", "severity", "publish", "send", "status", "reference", "reason")),
    "UPDATE": (("bullet_id",), ("content", "section", "applies_to", "severity", "publish", "send", "reason")),
    "TAG": (("bullet_id", "tag"), ("reason", "sample")),
    "REMOVE": (("bullet_id", "reason"), ("superseded_by",)),
    "MERGE": (("bullet_id", "others"), ("content", "reason")),
    "KEEP": (("bullet_id", "other"), ("reason",)),
    "CONFLICT": (("bullet_id", "other"), ("reason",)),
    "PIN": (("bullet_id",), ("pinned", "reason")),
    "REVIVE": (("bullet_id",), ("reason",)),
    "APPROVE": (("bullet_id",), ("section", "reason")),
    "SECTION": (("title",), ("id", "reason")),
}
"""The fields that an operation of each type must have in a delta, and those that it may have."""
_CURES = {
    "bullet_id": "write the id of the bullet as the playbook shows it",
    "reason": "say in one line why the lesson is wrong or not needed",
    "section": "name a section of the playbook",
}


def _read_operation(data: Json) -> Operation:
    if not isinstance(data, dict):
        raise _FieldError("", f"is {format_value(data)}, and an operation is a map", 'write `{"type": "ADD", …}`')
    kind = _read_type(data.get("type"))
    needed, optional = FIELDS[kind]
    values = {key: value for key, value in _rename_fields(data, kind).items() if key != "type" and value is not None}
    for key in values:
        if key not in (*needed, *optional):
            unknown = _reject_unknown(str(key), "", ("type", *needed, *optional))
            raise _FieldError(unknown.path, unknown.message, unknown.help)
    for key in needed:
        if key not in values:
            raise _FieldError(key, "is missing", _CURES.get(key, f"write `{key}`"))
    fields: dict[str, Any] = {}
    for key, value in values.items():
        try:
            fields[key] = _READERS[key](value)
        except ValueError as wanted:
            raise _FieldError(key, f"is {format_value(value)}, and {wanted} is needed", _CURES.get(key, "")) from None
    return OPERATIONS[kind](**fields)


def _read_type(name: Json) -> str:
    if not isinstance(name, str):
        message = "is missing" if name is None else f"is {format_value(name)}, and text is needed"
        raise _FieldError("type", message, f"there are {', '.join(OPERATIONS)}")
    kind = name.strip().upper()
    if kind not in OPERATIONS:
        near = _OTHER_NAMES.get(kind) or find_closest(kind[:80], OPERATIONS)
        cure = f"did you mean `{near}`?" if near else f"there are {', '.join(OPERATIONS)}"
        raise _FieldError("type", f"no operation `{name[:80]}`", cure)
    return kind


def _rename_fields(data: Mapping[str, Json], kind: str) -> dict[str, Json]:
    """Return the fields of an operation under their canonical names: `id` for `bullet_id`, `other` for `others`."""
    needed, optional = FIELDS[kind]
    other_names = {"id": "bullet_id", "other": "others", "others": "other"}
    fields: dict[str, Json] = {}
    for key, value in data.items():
        name = key if key in (*needed, *optional) else other_names.get(key, key)
        name = name if name in (*needed, *optional) else key
        if name in fields:
            raise _FieldError(key, f"says `{name}` a second time", "write it once")
        fields[name] = value
    return fields
