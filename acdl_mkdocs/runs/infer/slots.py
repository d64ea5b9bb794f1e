"""`assign_slots()`: which messages are written by the same line of a program, and what in them is constant.

Texts of one role are compared line by line, as template miners for logs do: a line that several texts share is
constant, what stands between such lines is a value. A text that is always the same is constant as a whole.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import groupby, takewhile
from typing import Literal, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Attachment, Call, Part, Text, Thinking
from acdl_mkdocs.runs.infer.observe import Event, Request

_LEAST_SHARE = 0.1
"""Of the texts of a role that have a line, so that the line is constant."""
_LEAST_LINE = 3
"""Characters of a line that is no accident."""
_LEAST_WORDS = 2
"""Words that lines have in common, so that they are one template."""
Cut: TypeAlias = Literal["lines", "ends", "nowhere"]
"""Where texts that vary are cut into constants and values: at lines, behind what all of them begin with and before what
they end with, or nowhere."""
CUTS: tuple[Cut, ...] = ("lines", "ends", "nowhere")
_LineKey: TypeAlias = str | tuple[str, str] | None
"""What a line is: a constant, a template with its beginning and its end, or a part of a value."""
_LEAST_TEMPLATE = 0.4
"""Of a line that lines have in common, so that they are one template."""
_LEAST_LABELLED = 0.3
"""Of the texts of a user that have a label, so that the program wrote it."""
_LONG_LABEL = 3
"""Words of a label that a user would not write twice, whatever its share of the texts."""
_LABEL = re.compile(r"[^\W\d_][\w -]{0,40}[:=>] ?")
_DIGITS_BEHIND = re.compile(r"[\s,./:-]*\d+")
_NUMBERS = re.compile(r"\d+")
_NUMBER_OR_DATE = re.compile(r"\d+(?:[\s,./:-]\d+)*")
_DIGITS, _BETWEEN_DIGITS = "0123456789", " \t,./:-"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a message."""

    kind: Literal["constant", "value", "template"]
    key: Hashable
    """Equal for what the same line of a program writes."""
    text: str = ""
    """Of a constant its text, of a template its text with `{{value}}`."""
    parts: tuple[Part, ...] = ()
    """Of a value its content, of a template its argument."""


@dataclass(frozen=True, slots=True)
class Slots:
    """The pieces of each event; the slot of each is in the event."""

    pieces: "dict[Event, tuple[Piece, ...]]"


def assign_slots(requests: Sequence[Request], cut: Cut = "lines") -> Slots:
    """Give each event its slot, and return the pieces of its message.

    Parameters:
        requests: All requests of one kind.
        cut: Where texts that vary are cut.
    """
    events = list(dict.fromkeys(event for request in requests for event in request.events))
    constants = _find_constant_texts(requests, events)
    later_forms = _find_later_forms(requests, events)
    pieces = _find_placeholders(later_forms) | _find_numbered(constants)
    texts: dict[str, dict[str, list[Event]]] = defaultdict(lambda: defaultdict(list))
    for event in events:
        kind, text = _classify(event), event.text
        if event in pieces:
            event.slot = (kind, "value", pieces[event][0].key)
        elif event in constants:
            results = event.result_texts
            constant = text if text is not None else results[0] if results else ""
            event.slot = (kind, "constant", constant)
            pieces[event] = (Piece("constant", constant, constant),)
        elif text is not None and kind in ("system", "user") and text:
            texts[kind][text].append(event)
        else:
            event.slot = (kind, "value", later_forms[event]) if event in later_forms else (kind, "value")
            pieces[event] = tuple(_split_parts(event))
    for kind, by_text in texts.items():
        for text, (slot, split) in split_texts(
            kind,
            {text: {event.run for event in members} for text, members in by_text.items()},
            cut,
        ).items():
            for event in by_text[text]:
                event.slot = (kind, *slot) if isinstance(slot, tuple) else (kind, slot)
                pieces[event] = split
    return Slots(pieces)


def _classify(event: Event) -> str:
    return "calls" if event.role == "assistant" and event.has_calls else event.role


def _find_constant_texts(requests: Sequence[Request], events: Sequence[Event]) -> set[Event]:
    """Return messages that are the same whatever was said: examples, reminders, and replacements of old results."""
    n_runs = len({request.run for request in requests})
    leading = _find_leading(requests) if n_runs > 1 else set()
    constants = set(_find_replacements(events))
    last = Counter(request.events[-1].text for request in requests if request.events and _is_prefill(request))
    for text, members in _group_by_text(event for event in events if _classify(event) == "assistant").items():
        if text in leading or last[text] > 1:
            constants.update(members)
    beside: dict[tuple[int, int], set[str]] = defaultdict(set)
    """The texts of the user in each turn."""
    for request in requests:
        for event in request.events:
            if event.role == "user" and event.text is not None:
                beside[event.run, event.turn].add(event.text)
    moved = _find_moved(requests)
    asked = _group_by_text(event for event in events if event.role == "user")
    for text, members in asked.items():
        turns = {(event.run, event.turn) for event in members}
        is_repeated = len(turns) > 1 and (len(asked) == 1 or all(len(beside[turn]) > 1 for turn in turns))
        if is_repeated or text in leading or not moved.isdisjoint(members):
            constants.update(members)
    return constants


def _find_moved(requests: Iterable[Request]) -> set[Event]:
    """Return the texts behind the question that end requests, if they differ in numbers only and one of them moved."""
    before: dict[Event, set[Event]] = defaultdict(set)
    """The messages directly before each of them: several, if it moved."""
    for request in requests:
        *earlier, last = request.events or (None,)
        open_turn = takewhile(lambda event: event.role != "assistant" or event.has_calls, reversed(earlier))
        if last is not None and last.role == "user" and any(event.role == "user" for event in open_turn):
            before[last].add(earlier[-1])
    texts = {_NUMBERS.sub("0", last.text or "") for last in before}
    has_moved = any(len(previous) > 1 for previous in before.values())
    return set(before) if has_moved and len(texts) == 1 else set()


def _group_by_text(events: Iterable[Event]) -> dict[str, list[Event]]:
    by_text: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        if event.text:
            by_text[event.text].append(event)
    return by_text


def _find_replacements(events: Iterable[Event]) -> Iterator[Event]:
    """Yield results that take the place of others: the same text in several rounds, one of which had another."""
    by_text: dict[str, list[Event]] = defaultdict(list)
    by_round: dict[tuple[int, int, int], set[tuple[str, ...]]] = defaultdict(set)
    for event in events:
        results = event.result_texts if event.role == "tool" else None
        if results is not None:
            by_round[event.run, event.turn, event.step].add(results)
            if len(set(results)) == 1:
                by_text[results[0]].append(event)
    for members in by_text.values():
        rounds = {(event.run, event.turn, event.step) for event in members}
        if len(rounds) > 1 and any(len(by_round[each]) > 1 for each in rounds):
            yield from members


def _find_later_forms(requests: Iterable[Request], events: Iterable[Event]) -> dict[Event, int]:
    """Return messages of rounds that were sent differently before, as shortened results are, each with its form."""
    together: set[Hashable] = set()
    """Rounds of which one request has several messages of a kind, which are not forms of each other."""
    for request in requests:
        counts = Counter(map(_find_occasion, request.events))
        together.update(occasion for occasion, count in counts.items() if count > 1)
    forms: dict[Hashable, list[dict[Hashable, tuple[Part, ...]]]] = defaultdict(list)
    later: dict[Event, int] = {}
    for event in events:
        occasion = _find_occasion(event)
        if not event.step or event.role not in ("assistant", "tool") or occasion in together:
            continue
        mine = {piece.key: piece.parts for piece in _split_parts(event)}
        known = forms[occasion]
        number = next((at for at, form in enumerate(known) if _has_no_other(form, mine)), len(known))
        if number == len(known):
            known.append({})
        known[number] |= mine
        if number:
            later[event] = number
    return later


def _find_occasion(event: Event) -> Hashable:
    return event.run, event.turn, event.step, _classify(event)


def _find_placeholders(later_forms: Mapping[Event, int]) -> dict[Event, tuple[Piece, ...]]:
    """Return the pieces of results in the place of others, if most is the same: placeholders with a number in them."""
    found: dict[Event, tuple[Piece, ...]] = {}
    for number in sorted(set(later_forms.values())):
        members = [event for event, each in later_forms.items() if each == number and event.role == "tool"]
        results = {event: event.result_texts for event in members}
        texts = {event: each[0] for event, each in results.items() if each is not None and len(each) == 1}
        if len(texts) < len(members) or len(set(texts.values())) < 2:
            continue
        head, tail = _find_common_ends(sorted(set(texts.values())))
        n_shared = len(head) + len(tail)
        if all(n_shared < len(text) and n_shared >= _LEAST_TEMPLATE * len(text) for text in texts.values()):
            found.update({event: _fill_template(text, head, tail) for event, text in texts.items()})
    return found


def _find_numbered(constants: Iterable[Event]) -> dict[Event, tuple[Piece, ...]]:
    """Return the pieces of constants that differ in one number or date."""
    alike: dict[Hashable, dict[str, list[Event]]] = defaultdict(lambda: defaultdict(list))
    for event in constants:
        if event.text is not None and event.role in ("system", "user"):
            alike[event.role, _NUMBERS.sub("0", event.text)][event.text].append(event)
    found: dict[Event, tuple[Piece, ...]] = {}
    for texts in alike.values():
        if len(texts) > 1:
            head, tail = _find_common_ends(sorted(texts))
            values = [text[len(head) : len(text) - len(tail)] for text in texts]
            if all(map(_NUMBER_OR_DATE.fullmatch, values)):
                for text, members in texts.items():
                    found.update(dict.fromkeys(members, _fill_template(text, head, tail)))
    return found


def _fill_template(text: str, head: str, tail: str) -> tuple[Piece, ...]:
    slotted = f"{head}{{{{value}}}}{tail}"
    return (Piece("template", ("template", slotted), slotted, (Text(text[len(head) : len(text) - len(tail)]),)),)


def _has_no_other(form: Mapping[Hashable, tuple[Part, ...]], parts: Mapping[Hashable, tuple[Part, ...]]) -> bool:
    return all(form.get(key, each) == each for key, each in parts.items())


def _is_prefill(request: Request) -> bool:
    return request.events[-1].role == "assistant"


def _find_leading(requests: Sequence[Request]) -> set[str]:
    """Return the texts with which every request begins, before anything differs between runs."""
    sent = [
        [(event.role, event.text or "") for event in request.events if event.role != "system"] for request in requests
    ]
    shortest = min(map(len, sent))
    n_common = next((at for at in range(shortest) if len({each[at] for each in sent}) > 1), shortest)
    return {text for _, text in sent[0][:n_common] if text}


def _split_parts(event: Event) -> Iterator[Piece]:
    """Yield the pieces of a message that is not text alone: neighbours of one type together.

    A message without content has one piece, an empty text, as an empty question is a question.
    """
    counts: Counter[str] = Counter()
    for kind, group in groupby(event.parts or (Text(""),), _name_type):
        counts[kind] += 1
        yield Piece("value", (kind, counts[kind]), parts=tuple(group))


def _name_type(part: Part) -> str:
    match part:
        case Text():
            return "text"
        case Thinking():
            return "thinking"
        case Call():
            return "call"
        case Attachment():
            return part.type
        case _:
            return "result"


# ---------------------------------------------------------------------------------------------------------------- texts


def split_texts(
    kind: str, texts: Mapping[str, Set[int]], cut: Cut = "lines"
) -> dict[str, tuple[Hashable, tuple[Piece, ...]]]:
    """Return the slot of each text and its pieces.

    Parameters:
        kind: Role of the messages.
        texts: The texts, each with the runs that have it.
        cut: Where they are cut.
    """
    if cut == "nowhere" or (len(texts) == 1 and kind != "system"):
        return {text: ("value", _whole(kind, text, len(texts))) for text in texts}
    if cut == "ends":
        return {text: split for each in _group_by_first_line(texts) for text, split in _split_by_ends(kind, each)}
    lines = {text: text.split("\n") for text in texts}
    shared = _find_shared_lines(texts, lines)
    templates = _find_templates(
        [[line for line in split if line not in shared] for split in lines.values()], is_labelled=kind == "user"
    )
    keys: dict[str, list[_LineKey]] = {
        text: [_key_line(line, shared, templates) for line in split] for text, split in lines.items()
    }
    if kind == "user":  # what somebody says again is not a constant
        keys = {text: each if len(each) > 1 or isinstance(each[0], tuple) else [None] for text, each in keys.items()}
    clusters = _cluster(keys)
    split: dict[str, tuple[Hashable, tuple[Piece, ...]]] = {}
    for slot, members in clusters:
        mine = {text: keys[text] for text in members}
        if all(key is None for each in mine.values() for key in each):
            split.update({text: ("value", _whole(kind, text, 1 if kind == "system" else 2)) for text in members})
            if kind == "system":
                split.update({text: (("constant", text), _whole(kind, text, 1)) for text in members})
            continue
        full = [[key for key, line in zip(keys[text], lines[text], strict=True) if line.strip()] for text in members]
        joined = _join_constants(full)
        split.update({text: (slot, tuple(_make_pieces(lines[text], keys[text], joined))) for text in members})
    return split


def _group_by_first_line(texts: Iterable[str]) -> Iterable[list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        groups[text.split("\n")[0]].append(text)
    return groups.values()


def _split_by_ends(kind: str, texts: Sequence[str]) -> Iterator[tuple[str, tuple[Hashable, tuple[Piece, ...]]]]:
    """Yield texts with their slots and pieces: the lines that all of them begin and end with, around one value."""
    lines = [text.split("\n") for text in texts]
    n_first = _count_common(lines)
    n_last = min(_count_common([each[::-1] for each in lines]), min(map(len, lines)) - n_first)
    is_template = len(texts) > 1 and n_first and n_last
    for text, split in zip(texts, lines, strict=True):
        head, middle, tail = split[:n_first], split[n_first : len(split) - n_last], split[len(split) - n_last :]
        if not is_template:
            is_constant = kind == "system" and len(texts) == 1
            yield text, (("constant", text) if is_constant else "value", _whole(kind, text, len(texts)))
            continue
        first, value, last = ("\n".join(each) for each in (head, middle, tail))
        pieces = [Piece("constant", ("constant", first, 1), first), Piece("constant", ("constant", last, 2), last)]
        if middle:
            pieces.insert(1, Piece("value", ("text", first), parts=(Text(value),)))
        yield text, (("template", split[0]), tuple(pieces))


def _find_shared_lines(texts: Mapping[str, Set[int]], lines: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the lines that are constant: several texts have them, and most runs."""
    counts: Counter[str] = Counter()
    runs: dict[str, set[int]] = defaultdict(set)
    for text, split in lines.items():
        for line in dict.fromkeys(split):
            if len(line.strip()) >= _LEAST_LINE:
                counts[line] += 1
                runs[line] |= texts[text]
    least = max(2, round(_LEAST_SHARE * len(texts)))
    n_runs = len(set().union(*texts.values()))
    shared = {line for line, count in counts.items() if count >= least and 2 * len(runs[line]) > n_runs}
    return shared - _find_counted(shared, lines.values())


def _find_counted(shared: set[str], texts: Iterable[Sequence[str]]) -> set[str]:
    """Return lines that differ in their numbers alone, of which each text has one: a date, or how often."""
    by_words: dict[str, set[str]] = defaultdict(set)
    for line in shared:
        by_words[_NUMBERS.sub("0", line)].add(line)
    counted = {words for words, alike in by_words.items() if len(alike) > 1}
    for split in texts:
        mine = Counter(words for line in split if (words := _NUMBERS.sub("0", line)) in counted)
        counted -= {words for words, count in mine.items() if count > 1}
    return set().union(*(by_words[words] for words in counted))


def _whole(kind: str, text: str, n_texts: int) -> tuple[Piece, ...]:
    if kind == "system" and n_texts == 1:
        return (Piece("constant", text, text),)
    return (Piece("value", ("text", 1), parts=(Text(text),)),)


def _find_templates(texts: Sequence[Sequence[str]], *, is_labelled: bool) -> list[tuple[str, str]]:
    """Return beginnings and ends that lines of several texts share around something that differs."""
    by_head: dict[str, set[str]] = defaultdict(set)
    n_texts: dict[str, set[int]] = defaultdict(set)
    listed: set[str] = set()
    """Beginnings of several lines of one text, which are the items of a list."""
    for number, lines in enumerate(texts):
        for line in lines:
            label = _LABEL.match(line)
            words = line.split(" ")
            heads = [label[0]] if label is not None and label.end() < len(line) else []
            if not heads and not is_labelled and len(words) > _LEAST_WORDS:
                heads = [" ".join(words[:_LEAST_WORDS]) + " "]
            for head in heads:
                if number in n_texts[head]:
                    listed.add(head)
                by_head[head].add(line)
                n_texts[head].add(number)
    least = max(2, round(_LEAST_LABELLED * len(texts))) if is_labelled else 2
    found: list[tuple[str, str]] = []
    for head, alike in by_head.items():
        is_rare = len(n_texts[head]) < (2 if len(head.split()) >= _LONG_LABEL else least)
        if is_rare or len(alike) < 2 or head in listed:
            continue
        prefix, suffix = (head, "") if is_labelled else _find_common_ends(sorted(alike))
        n_shared = len(prefix) + len(suffix)
        is_label = _LABEL.fullmatch(prefix) is not None
        if all(n_shared < len(line) and (is_label or n_shared >= _LEAST_TEMPLATE * len(line)) for line in alike):
            found.append((prefix, suffix))
    return found


def _find_common_ends(lines: Sequence[str]) -> tuple[str, str]:
    """Return the beginning and the end that lines share, at the borders of words."""
    split = [re.findall(r"\w+|\W", line) for line in lines]
    n_first = _count_common(split)
    n_last = _count_common([each[n_first:][::-1] for each in split])
    first = split[0]
    prefix, suffix = "".join(first[:n_first]), "".join(first[len(first) - n_last :]) if n_last else ""
    # numbers beside what differs are a part of it, as the year of a date is
    while behind := _DIGITS_BEHIND.match(suffix):
        suffix = suffix[behind.end() :]
    while (words := prefix.rstrip(_BETWEEN_DIGITS)) != (before := words.rstrip(_DIGITS)):
        prefix = before
    return prefix, suffix


def _count_common(lists: Sequence[Sequence[str]]) -> int:
    shortest = min(map(len, lists))
    return next((at for at in range(shortest) if len({each[at] for each in lists}) > 1), shortest)


def _key_line(line: str, shared: set[str], templates: Sequence[tuple[str, str]]) -> _LineKey:
    """Return what a line is: a constant, a template, or `None` for a part of a value."""
    if line in shared:
        return line
    return next(
        (
            (head, tail)
            for head, tail in templates
            if len(line) > len(head) + len(tail) and line.startswith(head) and line.endswith(tail)
        ),
        None,
    )


def _cluster(keys: Mapping[str, Sequence[_LineKey]]) -> list[tuple[Hashable, list[str]]]:
    """Return groups of texts that share lines, each with its name: the first line that all of its texts share."""
    parent: dict[str, str] = {text: text for text in keys}

    def find(text: str) -> str:
        while parent[text] != text:
            parent[text] = parent[parent[text]]
            text = parent[text]
        return text

    first: dict[Hashable, str] = {}
    for text, each in keys.items():
        for key in each:
            if key is not None:
                parent[find(text)] = find(first.setdefault(key, text))
    groups: dict[str, list[str]] = defaultdict(list)
    for text in keys:
        groups[find(text)].append(text)
    named: list[tuple[Hashable, list[str]]] = []
    for members in groups.values():
        common = set.intersection(*({key for key in keys[text] if key is not None} for text in members))
        anchor = next((key for key in keys[members[0]] if key in common), None)
        if anchor is None:
            anchor = next((key for text in members for key in keys[text] if key is not None), "value")
        named.append((("template", anchor) if anchor != "value" else "value", members))
    return named


def _join_constants(keys: Iterable[Sequence[_LineKey]]) -> dict[str, str]:
    """Return for each constant line the one that it always follows directly, with nothing else ever between them."""
    before: dict[_LineKey, set[_LineKey]] = defaultdict(set)
    after: dict[_LineKey, set[_LineKey]] = defaultdict(set)
    for each in keys:
        for one, two in zip([None, *each], [*each, None], strict=True):
            after[one].add(two)
            before[two].add(one)
    return {
        two: one
        for two, ones in before.items()
        for one in ones
        if isinstance(one, str) and isinstance(two, str) and len(ones) == 1 and len(after[one]) == 1
    }


@dataclass(slots=True)
class _Stretch:
    """Neighbouring lines of a text that are one piece."""

    keys: list[_LineKey]
    lines: list[str]

    @property
    def is_value(self) -> bool:
        """Whether it is neither a constant nor a template."""
        return self.keys[0] is None

    def may_grow(self, key: _LineKey, joined: Mapping[str, str]) -> bool:
        """Whether a line with a key belongs to it."""
        last = self.keys[-1]
        if isinstance(key, str) and isinstance(last, str):
            return joined.get(key) == last
        return key is None and self.is_value


def _make_pieces(lines: Sequence[str], keys: Sequence[_LineKey], joined: Mapping[str, str]) -> Iterator[Piece]:
    """Yield the pieces of a text; blank lines between pieces belong to constants where they can."""
    stretches: list[_Stretch] = []
    blank: list[str] = []
    for line, key in zip(lines, keys, strict=True):
        if not line.strip():
            blank.append(line)
        elif stretches and stretches[-1].may_grow(key, joined):
            stretches[-1].keys.append(key)
            stretches[-1].lines += [*blank, line]
            blank = []
        elif stretches and (not stretches[-1].is_value or key is None):
            stretches[-1].lines += blank
            stretches.append(_Stretch([key], [line]))
            blank = []
        else:
            stretches.append(_Stretch([key], [*blank, line]))
            blank = []
    if stretches:
        stretches[-1].lines += blank
    before: Hashable = "start"
    counts: Counter[Hashable] = Counter()
    for stretch in stretches:
        text, key = "\n".join(stretch.lines), stretch.keys[0]
        if key is None:
            counts[before] += 1
            yield Piece("value", ("value", before, counts[before]), parts=(Text(text),))
            continue
        before = tuple(stretch.keys)
        counts[before, text] += 1
        if isinstance(key, str):
            yield Piece("constant", ("constant", text, counts[before, text]), text)
        else:
            yield _make_template(stretch, key, counts[before, text])


def _make_template(stretch: _Stretch, key: tuple[str, str], count: int) -> Piece:
    """Return a line with a place for what differs."""
    head, tail = key
    at = next(idx for idx, line in enumerate(stretch.lines) if line.strip())
    line = stretch.lines[at]
    value = line[len(head) : len(line) - len(tail)]
    slotted = "\n".join([*stretch.lines[:at], f"{head}{{{{value}}}}{tail}", *stretch.lines[at + 1 :]])
    return Piece("template", ("template", slotted, count), slotted, (Text(value),))
