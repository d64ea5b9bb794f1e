"""`split_kinds()`: recorded requests by the agent that sent them, each with a clock of its own.

Requests are of one agent if their instructions share lines, or if one continues from the answers of the other: an agent
may be given other instructions on the way. Summaries and sub-agents, whose answers others only read, are agents of
their own.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise, takewhile

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Call, Message, Prompt, Text
from acdl_mkdocs.runs.infer.names import SMALL_WORDS, WORD, make_unique
from acdl_mkdocs.runs.infer.slots import split_texts
from acdl_mkdocs.runs.match.units import normalize_text, summarize_answer
from acdl_mkdocs.runs.points import assign_points
from acdl_mkdocs.runs.read.recorded import Origin, Recorded, list_call_keys

_MOST_CLAIM = 60
"""Characters of the words by which requests are known."""
_LEAST_CLAIM = 8
_N_NAME = 2


@dataclass(frozen=True, slots=True)
class Kind:
    """The requests of one agent."""

    name: str
    runs: Mapping[str, Sequence[Recorded]]
    """Its requests by run, in order, with points that count them alone."""
    claim: str = ""
    """Words of the instructions that all of its requests have, and no other; empty if it is the only agent."""
    routes: Mapping[Origin, str] = field(default_factory=dict)
    """What another agent answered in one word directly before a request, by the request."""


def split_kinds(runs: Mapping[str, Sequence[Recorded]], name: str) -> list[Kind]:
    """Return the agents of some runs, the one with the most requests first.

    Parameters:
        runs: The requests of each run in order; their points are known.
        name: Name of the agent if there is only one.
    """
    instructions = {id(each): read_instructions(each) for requests in runs.values() for each in requests}
    texts: dict[str, set[int]] = defaultdict(set)
    for number, requests in enumerate(runs.values()):
        for each in requests:
            texts[instructions[id(each)]].add(number)
    slots: dict[str, Hashable] = {"": "none"}
    slots.update(
        {
            text: slot
            for text, (slot, _) in split_texts("system", {key: each for key, each in texts.items() if key}).items()
        }
    )
    groups = {slot: slot for slot in slots.values()}
    for requests in runs.values():
        for one, two in _find_continued([(slots[instructions[id(each)]], each) for each in requests]):
            old, new = groups[one], groups[two]
            groups = {key: old if each == new else each for key, each in groups.items()}
    groups = _join_configured(runs, {text: groups[slot] for text, slot in slots.items()}, groups)
    members: dict[Hashable, dict[str, list[Recorded]]] = {}
    for run, requests in runs.items():
        for each in requests:
            group = groups[slots[instructions[id(each)]]]
            members.setdefault(group, {}).setdefault(run, []).append(each)
    if len(members) == 1:
        return [Kind(name, separate_repeated(runs))]
    ordered = sorted(members.values(), key=lambda each: -sum(map(len, each.values())))
    kinds: list[Kind] = []
    for mine in ordered:
        own = [instructions[id(each)] for requests in mine.values() for each in requests]
        theirs = [requests for more in ordered if more is not mine for requests in more.values()]
        others = [instructions[id(each)] for requests in theirs for each in requests]
        title = _make_name(own[0], {kind.name for kind in kinds}, name)
        counted = {run: _count_again(each) for run, each in mine.items()}
        routes = _find_routes(runs, {id(each) for requests in mine.values() for each in requests})
        kinds.append(Kind(title, separate_repeated(counted), _find_claim(own, others), routes))
    return kinds


def _find_routes(runs: Mapping[str, Sequence[Recorded]], mine: set[int]) -> dict[Origin, str]:
    """Return what others answered in one word directly before requests of an agent, which are known by identity."""
    return {
        two.origin: word
        for requests in runs.values()
        for one, two in pairwise(requests)
        if id(two) in mine and id(one) not in mine and (word := _read_word(one))
    }


def _read_word(recorded: Recorded) -> str:
    """Return the answer to a request if it is one word, as a router gives; otherwise nothing."""
    answer = summarize_answer(recorded)
    text = "" if answer is None or answer.call_keys else answer.text.strip().rstrip(".").lower()
    return text if text.isidentifier() else ""


def _join_configured(
    runs: Mapping[str, Sequence[Recorded]], group_of: Mapping[str, Hashable], groups: Mapping[Hashable, Hashable]
) -> dict[Hashable, Hashable]:
    """Return the groups, joined where no file has two of them and their tools are the same.

    Their instructions differ from run to run, as those of an agent do that are set by its user.
    """
    files: dict[Hashable, set[str]] = defaultdict(set)
    tools: dict[Hashable, set[frozenset[str]]] = defaultdict(set)
    for requests in runs.values():
        for each in requests:
            group = group_of[read_instructions(each)]
            files[group].add(each.origin.file)
            tools[group].add(frozenset(tool.name for tool in each.request.tools))
    joined = dict(groups)
    kept: list[Hashable] = []
    for group in files:
        same = next((each for each in kept if tools[each] == tools[group] and not files[each] & files[group]), None)
        if same is None:
            kept.append(group)
            continue
        files[same] |= files[group]
        joined = {key: same if each == group else each for key, each in joined.items()}
    return joined


def read_instructions(recorded: Recorded) -> str:
    """Return the instructions that a request begins with."""
    leading = takewhile(lambda message: message.role == "system", recorded.request.messages)
    return next((part.text for message in leading for part in message.parts if isinstance(part, Text)), "")


def _find_continued(requests: Sequence[tuple[Hashable, Recorded]]) -> set[tuple[Hashable, Hashable]]:
    """Return pairs of instructions of which the second continues from answers to the first, for good or in turns."""
    author: dict[Hashable, Hashable] = {}
    answered: dict[tuple[Hashable, Hashable], bool] = {}
    last = {slot: at for at, (slot, _) in enumerate(requests)}
    first: dict[Hashable, int] = {}
    for at, (slot, each) in enumerate(requests):
        first.setdefault(slot, at)
        for message in each.request.messages:
            if message.role == "assistant":
                by = author.setdefault(_get_answer_key(message), slot)
                if by != slot:
                    answered[by, slot] = True
        answer = summarize_answer(each)
        if answer is not None:
            author[tuple((call.tool, call.args) for call in answer.call_keys) or answer.text] = slot
    return {(one, two) for one, two in answered if (two, one) in answered or last[one] < first[two]}


def _get_answer_key(message: Message) -> Hashable:
    calls = list_call_keys(part for part in message.parts if isinstance(part, Call))
    texts = (part.text for part in message.parts if isinstance(part, Text))
    return tuple((call.tool, call.args) for call in calls) or normalize_text("\n".join(texts))


def separate_repeated(runs: Mapping[str, Sequence[Recorded]]) -> dict[str, Sequence[Recorded]]:
    """Return the runs; other requests at a point that a run already has, such as second attempts, are separate runs."""
    separated: dict[str, list[Recorded]] = {}
    for run, requests in runs.items():
        sent: dict[str, list[Prompt]] = defaultdict(list)
        for each in requests:
            there = sent[str(each.at)]
            number = next(
                (at for at, prompt in enumerate(there) if prompt.messages == each.request.messages), len(there)
            )
            if number == len(there):
                there.append(each.request)
            separated.setdefault(f"{run}, repeated {number}" if number else run, []).append(each)
    return dict(separated)


def _count_again(requests: Sequence[Recorded]) -> list[Recorded]:
    """Return requests with points that are counted from them alone."""
    return list(assign_points(replace(each, at=None) for each in requests))


def _find_claim(own: Iterable[str], others: Iterable[str]) -> str:
    """Return the first words of a line or a sentence that all texts have, and none of the others."""
    mine, foreign = list(dict.fromkeys(own)), set(others)
    lines = mine[0].split("\n")
    for beginning in (*lines, *(sentence for line in lines for sentence in line.split(". ")[1:])):
        words = f"{beginning.strip()} "[: _MOST_CLAIM + 1].rpartition(" ")[0].split(" ")
        for end in range(len(words), 0, -1):
            claim = " ".join(words[:end])
            if all(claim in text for text in mine):
                if len(claim) >= _LEAST_CLAIM and not any(claim in text for text in foreign):
                    return claim
                break
    return ""


def _make_name(instructions: str, used: "set[str]", default: str) -> str:
    words = [word for word in WORD.findall(instructions[:200]) if word.lower() not in SMALL_WORDS][:_N_NAME]
    name = "".join(word[:1].upper() + word[1:].lower() for word in words) or default
    return make_unique(name, used)
