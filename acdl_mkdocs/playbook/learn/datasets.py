"""Read questions and their answers from a file: JSON lines or one JSON list, with fields of any names.

Nothing in a file is ignored silently: every line that is not a sample is a problem with its number and a cure.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.prompts.prompt import Json

USUAL_FIELDS: Mapping[str, tuple[str, ...]] = {
    "question": ("question", "input", "prompt", "query"),
    "answer": ("answer", "target", "final_answer", "label", "output"),
    "context": ("context", "passage"),
    "id": ("id", "task_id", "uid"),
    "scenario": ("scenario", "scenario_id"),
}
"""Default names of a field; the first that a record has is used. A record without a question is its context alone: the
format of FiNER and Formula."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Sample:
    """One question."""

    id: str
    """Its identifier in the data set."""
    question: str
    """What to answer."""
    answer: str | None = None
    """The ground truth, or `None` if unknown."""
    context: str | None = None
    """Text that belongs to the question; `None` if the data set has none."""
    scenario: str | None = None
    """The scenario that it belongs to, for a data set with several variants of each task; `None` without."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a record: names, or dotted paths such as `data.items.0.text`. `None` means the default."""

    question: str | None = None
    answer: str | None = None
    context: str | None = None
    id: str | None = None
    scenario: str | None = None


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line without a valid sample."""

    line: int
    """From 1; the start of an element of a JSON list."""
    message: str
    help: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}; {self.help}"


@dataclass(frozen=True, slots=True)
class Samples:
    """The contents of a file."""

    samples: tuple[Sample, ...]
    problems: tuple[BadLine, ...] = ()

    @property
    def n_answered(self) -> int:
        """The number of samples with a ground truth."""
        return sum(sample.answer is not None for sample in self.samples)


class _NotASampleError(Exception):
    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.message, self.help = message, help


def read_samples(path: Path, fields: Fields | None = None) -> Samples:
    """Read the samples of a file, in order.

    Raises:
        OSError: The file cannot be read. Its content never raises.
    """
    data = path.read_bytes()
    if data.startswith(_UTF_16):
        return Samples((), (BadLine(1, "the file is UTF-16", "save it as UTF-8"),))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        return Samples((), (BadLine(line, f"byte {fault.start + 1} is not UTF-8", "save the file as UTF-8"),))
    return samples_of(text, fields)


def samples_of(text: str, fields: Fields | None = None) -> Samples:
    """Read the samples of a text. Problems are in the result; never raises."""
    fields = fields or Fields()
    samples: list[Sample] = []
    problems: list[BadLine] = []
    lines: dict[str, int] = {}
    same: Counter[str] = Counter()
    keys: dict[str, None] = {}
    for line, record in _records(text):
        try:
            if isinstance(record, _NotASampleError):
                raise record
            keys.update(dict.fromkeys(record if isinstance(record, dict) else ()))
            sample = _sample(record, fields, same)
            if sample.id in lines:
                raise _NotASampleError(
                    f"the id `{sample.id}` is that of line {lines[sample.id]} too", "give every record an id of its own"
                )
            lines[sample.id] = line
            samples.append(sample)
        except _NotASampleError as fault:
            problems.append(BadLine(line, fault.message, fault.help))
    if fields.answer is not None and samples and all(sample.answer is None for sample in samples):
        problems.append(
            BadLine(1, f"no record has an answer in the field `{fields.answer}`", _suggest_field(fields.answer, keys))
        )
    if not samples and not problems:
        message = "there is no record" if text.strip("\ufeff \t\r\n") else "the file is empty"
        problems.append(BadLine(1, message, 'write a record as `{"question": "...", "answer": "..."}`'))
    return Samples(tuple(samples), tuple(problems))


def _records(text: str) -> Iterator[tuple[int, "Json | _NotASampleError"]]:
    """Yield every record with the line where it begins."""
    if text.lstrip()[:1] == "[":
        yield from _elements(text)
        return
    for line, written in enumerate(text.split("\n"), 1):
        if written.strip():
            yield line, _load_json(written)


def _load_json(text: str) -> "Json | _NotASampleError":
    try:
        value: Json = _DECODER.decode(text)
    except (ValueError, RecursionError) as fault:
        return _make_broken_error(fault)
    return value


def _make_broken_error(fault: Exception) -> _NotASampleError:
    if isinstance(fault, json.JSONDecodeError):
        reason = f"not JSON: {fault.msg[:1].lower()}{fault.msg[1:]} at character {fault.pos + 1}"
        return _NotASampleError(reason, "write one JSON object on a line, or one list of objects")
    if isinstance(fault, RecursionError):
        return _NotASampleError("nested too deeply", "write fewer levels")
    return _NotASampleError(str(fault), "write each key once, and numbers as numbers")


def _elements(text: str) -> Iterator[tuple[int, "Json | _NotASampleError"]]:
    """Yield the elements of a list; the rest after a broken one cannot be read."""
    at = text.index("[") + 1
    line = text.count("\n", 0, at) + 1
    is_first = True
    while True:
        begin = _after_space(text, at)
        if text[begin : begin + 1] == "]" and (is_first or text[at - 1] != ","):
            rest = _after_space(text, begin + 1)
            if rest < len(text):
                yield text.count("\n", 0, rest) + 1, _NotASampleError("something stands behind the list", "remove it")
            return
        line += text.count("\n", at, begin)
        try:
            value, end = _DECODER.raw_decode(text, begin)
        except (ValueError, RecursionError) as fault:
            broken = _make_broken_error(fault)
            yield line, _NotASampleError(f"{broken.message}; nothing behind it is read", broken.help)
            return
        yield line, value
        line += text.count("\n", begin, end)
        at = _after_space(text, end)
        line += text.count("\n", end, at)
        is_first = False
        if text[at : at + 1] == ",":
            at += 1
        elif text[at : at + 1] != "]":
            yield (
                line,
                _NotASampleError("the list continues without a comma", "write `,` between elements, `]` at the end"),
            )
            return


def _after_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _refuse_constant(word: str) -> Json:
    raise ValueError(f"`{word}` is not a JSON number")


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise ValueError(f"the key `{twice}` is there twice")
    return record


_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=_refuse_constant, object_pairs_hook=_object)
"""Numbers are kept as written: the answer `1.10` differs from `1.1`."""


def _sample(record: Json, fields: Fields, same: Counter[str]) -> Sample:
    if not isinstance(record, dict):
        raise _NotASampleError("this is not a JSON object", 'write it as `{"question": "...", "answer": "..."}`')
    question = _field(record, fields.question, "question")
    context = _field(record, fields.context, "context")
    if question is None and context is not None and fields.question is None:
        question, context = context, None
    if question is None:
        name = fields.question or "question"
        raise _NotASampleError(f"there is no question in the field `{name}`", _suggest_field(name, record, "question"))
    answer = _field(record, fields.answer, "answer")
    own = _field(record, fields.id, "id")
    if own is None:
        if fields.id is not None:
            raise _NotASampleError(
                f"there is no id in the field `{fields.id}`", _suggest_field(fields.id, record, "id")
            )
        digest = sha256(json.dumps([question, context, answer]).encode()).hexdigest()[:10]
        same[digest] += 1
        own = f"s-{digest}" if same[digest] == 1 else f"s-{digest}-{same[digest]}"
    return Sample(own, question, answer, context, _scenario(record, fields.scenario))


def _scenario(record: dict[str, Json], named: str | None) -> str | None:
    """Return the scenario of a record; a default field counts only if it is a text."""
    if named is None:
        usual = (record.get(name) for name in USUAL_FIELDS["scenario"])
        return next((each for each in usual if isinstance(each, str) and each.strip()), None)
    scenario = _field(record, named, "scenario")
    if scenario is None:
        raise _NotASampleError(
            f"there is no scenario in the field `{named}`", _suggest_field(named, record, "scenario")
        )
    return scenario


def _suggest_field(name: str, record: Mapping[str, object], kind: str = "answer") -> str:
    near = find_closest(name, record)
    if near and near != name:
        return f"did you mean `--{kind} {near}`?"
    names = ", ".join(f"`{key}`" for key in list(record)[:8])
    return f"name the field: `--{kind} FIELD`" + (f"; there are {names}" if names else "")


def _field(record: dict[str, Json], named: str | None, kind: str) -> str | None:
    """Return the text of a field, or `None` if it is missing, null or blank."""
    if named is not None:
        return _text(_find_value(record, named), named)
    for name in USUAL_FIELDS[kind]:
        if record.get(name) is not None:
            return _text(record[name], name)
    return None


def _find_value(record: Json, path: str) -> Json:
    """Return the value at a dotted path; a key that itself contains dots is found first."""
    if isinstance(record, dict) and path in record:
        return record[path]
    value = record
    for step in path.split("."):
        if isinstance(value, list) and step.isascii() and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value


def _text(value: Json, name: str) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(_element(each, name) for each in value) or None
    if isinstance(value, dict):
        inner = next(iter(value), "name")
        raise _NotASampleError(f"`{name}` is an object", f"name what is in it: `{name}.{inner}`")
    if isinstance(value, str) and any("\ud800" <= each <= "\udfff" for each in value):
        raise _NotASampleError(f"`{name}` has half of a character", "write the whole of it, or leave it out")
    return value if isinstance(value, str) and value.strip() else None


def _element(value: Json, name: str) -> str:
    text = None if isinstance(value, list) else _text(value, name)
    if text is None:
        raise _NotASampleError(
            f"`{name}` is a list with something else than texts", "write a list of texts, or one text"
        )
    return text


def limit_samples(samples: Sequence[Sample], limit: int | None, seed: int) -> tuple[Sample, ...]:
    """Return at most `limit` samples, chosen by the seed and in the order of the file: the same on every machine."""
    if limit is None or limit >= len(samples):
        return tuple(samples)
    chosen = sorted(samples, key=lambda sample: sha256(f"{seed}/{sample.id}".encode()).digest())[:limit]
    ids = {sample.id for sample in chosen}
    return tuple(sample for sample in samples if sample.id in ids)
