"""The 24 systems of the paper, with runs of them: what their specs send with random states, written as recordings.

`react.acdl#React2ShortCorrected` and `react-variants.acdl#ReactBase` are left out: they send what
`React2Corrected` and `React1` do. A spec that was published with a slip is taken as it was corrected.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import cast

from random_states import WORDS, Filling, Tree, make_state

from acdl_mkdocs.compare.choose_specs import select_definition
from acdl_mkdocs.evaluation.evaluate import Options, evaluate, find_spec
from acdl_mkdocs.evaluation.point import parse_points
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.state.sample_state import State
from acdl_mkdocs.evaluation.state.spec_reads import collect_reads
from acdl_mkdocs.evaluation.transcript import Piece, SentMessage, Transcript, build_prompt
from acdl_mkdocs.evaluation.values import Time
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.prompts.prompt import Call, Json, Message, Part, Prompt
from acdl_mkdocs.prompts.providers import PROVIDERS

EXAMPLES = Path(__file__).parent.parent / "examples"
N_RUNS = 8
HELD_OUT = (2, 4, 7)
"""Runs that nothing is inferred from, to see whether the spec is true of them; the last is the longest of all."""
MOST_SUBSTEPS = 4
MODEL = "scripted-model"
_TURN = re.compile(r"\.(\d+)(?![^.])")
FORMAT = "openai"


@dataclass(frozen=True)
class System:
    """A spec, and how its runs are."""

    file: str
    spec: str
    turns: tuple[int, ...] = (1, 2, 3, 3, 4, 5, 6, 8)
    """How many turns each run has."""
    first: tuple[int, ...] = ()
    """The turn that each run is recorded from, where that is not the first one."""
    filling: Filling = field(default_factory=Filling)
    seed: str = ""
    """Another one gives other states."""

    @property
    def name(self) -> str:
        """As it is named on the command line."""
        return f"{self.file}#{self.spec}"

    @cached_property
    def resolved(self) -> Resolved:
        """The text with the spec."""
        path = EXAMPLES / f"{self.file}.acdl"
        return parse_and_resolve(Source(path.read_text("utf-8"), path.name)).resolved

    @cached_property
    def text(self) -> str:
        """The spec alone, with the fragments that it uses and comments for the tools."""
        parsed = select_definition(self.resolved.parsed, self.spec)
        return "\n".join(parsed.source.text[each.span.start : each.span.end] for each in parsed.file.items) + "\n"

    @cached_property
    def has_substeps(self) -> bool:
        """Whether its clock has sub-steps."""
        prompt = find_spec(self.resolved, self.spec)
        return prompt is not None and collect_reads(self.resolved, [prompt]).levels > 1

    @cached_property
    def runs(self) -> tuple["Run", ...]:
        """Its runs, the same each time."""
        return tuple(_make_run(self, number) for number in range(N_RUNS))

    def write_runs(self, folder: Path) -> None:
        """Write a recording of each run, and its state."""
        for each in self.runs:
            path = place_run(folder, each.number)
            path.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in each.lines), "utf-8")
            path.with_name(f"{each.number + 1}.state.yaml").write_text(each.text, "utf-8")


@dataclass(frozen=True)
class Run:
    """A state with the points at which requests are sent."""

    system: System
    number: int
    text: str
    """The state as a file. It has a turn more than is recorded, which begins with what is answered in the last one."""
    points: tuple[Time, ...]

    @property
    def is_held_out(self) -> bool:
        """Whether nothing is inferred from it."""
        return self.number in HELD_OUT

    @property
    def name(self) -> str:
        """As recordings name it."""
        return f"run-{self.number + 1}"

    @cached_property
    def state(self) -> State:
        """The state."""
        state = read_state(self.text, f"{self.name}.state.yaml").state
        assert state is not None, self.text  # noqa: S101 - it was written well
        return state

    def evaluate(self, resolved: Resolved) -> tuple[Transcript, ...]:
        """Return what a text with the spec sends at each point, and after the last one."""
        options = Options(spec=self.system.spec, missing="placeholder")
        last = self.points[-1].parts[0]
        points = (*self.points, Time((last + 1, 0) if self.system.has_substeps else (last + 1,)))
        return tuple(evaluate(resolved, self.state, each, options) for each in points)

    @cached_property
    def lines(self) -> tuple[Tree, ...]:
        """The requests with their replies, as lines of a recording."""
        transcripts = self.evaluate(self.system.resolved)
        requests = zip(transcripts[:-1], self.points, _find_replies(transcripts), strict=True)
        return tuple(
            {"request": write_body(each), **({"reply": reply} if reply else {}), "at": str(at), "episode": self.name}
            for each, at, reply in requests
        )


def place_run(folder: Path, number: int) -> Path:
    """Return the place for a recording of a run: runs that nothing is inferred from are apart."""
    path = folder / ("held-out" if number in HELD_OUT else "runs") / f"{number + 1}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _make_run(system: System, number: int) -> Run:
    n_turns = system.turns[number]
    chance = Random(f"{system.name} {system.seed}{number}")  # noqa: S311 - texts, not secrets
    counts = [chance.randint(0, MOST_SUBSTEPS) if system.has_substeps else 0 for _ in range(n_turns + 1)]
    seeds = f"{system.spec}{system.seed}", f"{system.spec} {system.seed}{number}"
    tree = make_state(system.resolved, system.spec, seeds, counts, system.filling)
    first = system.first[number] if system.first else 1
    tree["at"] = f"{first}.0..{n_turns}.{counts[n_turns - 1]}" if system.has_substeps else f"{first}..{n_turns}"
    text = json.dumps(tree, ensure_ascii=False, indent=1) + "\n"
    state = read_state(text).state
    assert state is not None, text  # noqa: S101 - it was written well
    return Run(system, number, text, tuple(parse_points(str(tree["at"]), state)))


# ------------------------------------------------------------------------------------------------------------- recorded


def write_body(transcript: Transcript) -> Json:
    """Return what is sent as the body of a request."""
    return _write_body(build_prompt(transcript))


def _write_body(prompt: Prompt) -> Json:
    body: Json = json.loads(json.dumps(PROVIDERS[FORMAT].write(prompt, MODEL).body))
    return body


def _find_replies(transcripts: Sequence[Transcript]) -> Iterator[Json]:
    """Yield the answer to each request but the last: what the next one has of the model that was not there before.

    What belongs to another turn than the request is not an answer to it: some specs count a step from the answer on.
    """
    seen = _list_names(transcripts[0])
    for before, each in pairwise(transcripts):
        turn = before.at.get_part(0)
        parts = [part for message in each.messages for part in _list_new_parts(message, seen, turn)]
        yield _write_reply(parts) if parts else None
        seen |= _list_names(each)


def _list_names(transcript: Transcript) -> set[str]:
    return {_name_piece(piece) for piece in transcript.pieces}


def _name_piece(piece: Piece) -> str:
    return piece.state_path or f"{piece.resolved}: {piece.text}"


def _list_new_parts(message: SentMessage, seen: set[str], turn: int) -> tuple[Part, ...]:
    """Return the parts of a message that are new, if the model said any of them in a turn.

    A message that is new as a whole was said so, also where a spec calls some of it otherwise.
    """
    new = tuple(piece for piece in message.pieces if _name_piece(piece) not in seen)
    if len(new) < len(message.pieces):
        new = tuple(filter(_is_said, new))
    if message.role != "assistant" or not any(map(_is_said, new)):
        return ()
    turns = {int(found[1]) for piece in new if (found := _TURN.search(piece.state_path))}
    return replace(message, pieces=new).parts if turns <= {turn} else ()


def _is_said(piece: Piece) -> bool:
    return ".resp." in f".{piece.state_path}" or any(isinstance(each, Call) for each in piece.parts)


def _write_reply(parts: Sequence[Part]) -> Json:
    body = _write_body(Prompt((Message("assistant", tuple(parts)),)))
    message = cast("dict[str, list[Json]]", body)["messages"][-1]
    return {"object": "chat.completion", "model": MODEL, "choices": [{"index": 0, "message": message}]}


# -------------------------------------------------------------------------------------------------------------- systems


def _get_turns(records: Json) -> dict[int, dict[str, Tree]]:
    """Return the values of each turn of a state or of an agent, by their namespaces."""
    turns = cast("dict[str, dict[str, dict[str, Tree]]]", records)["steps"]
    return {int(number): turn for number, turn in turns.items()}


def _call_retrieval(state: Tree) -> Iterator[tuple[str, list[Json]]]:
    questions = cast("dict[str, dict[str, str]]", state["env"])["user_input"]
    return (("k_relevant_docs", [each]) for each in questions.values())


def _call_memory(state: Tree) -> Iterator[tuple[str, list[Json]]]:
    (agent,) = cast("Tree", state["agents"]).values()
    for own, shared in zip(_get_turns(agent).values(), _get_turns(state).values(), strict=True):
        for actor in cast("list[Tree]", shared["env"]["seen_actors"]):
            yield "retrieve", [own["sys"]["memory"], actor["name"]]


def _call_summaries(state: Tree) -> Iterator[tuple[str, list[Json]]]:
    turns = _get_turns(state)
    for at, turn in turns.items():
        if at % 25 == 0:
            yield "critique_performance", [turn["sys"]["history"]]
        if at % 100 == 0:
            yield "summarize", [[turns[each]["resp"]["action"] for each in range(max(at - 100, 1), at)]]
        if at % 1000 == 0:
            yield "compress_summaries", [[turns[each]["sys"]["summary"] for each in range(at, at - 901, -100)]]


def _compact(state: Tree, chance: Random, first: int) -> None:
    """Have up to two compactions in a run, after each of which earlier turns are not sent any more.

    Parameters:
        state: A state of turns.
        chance: Draws the turns.
        first: `last_compaction_time` before there was a compaction.
    """
    turns = _get_turns(state)
    later = range(3, len(turns) + 1)
    starts = chance.sample(later, min(len(later), chance.randint(0, 2)))
    last = first
    for number, turn in turns.items():
        last = number - 1 + first if number in starts else last
        turn["sys"]["last_compaction_time"] = last


def _answer_by_calls(state: Tree, chance: Random) -> None:
    """Make the answer of a turn with a tool the call of it."""
    for number, turn in _get_turns(state).items():
        if (tool := turn["sys"]["tool"]) is not None:
            name = cast("Tree", tool)["$value"]
            call: Tree = {"id": f"call_{number}", "name": name, "arguments": {"query": chance.choice(WORDS)}}
            turn["resp"]["answer"] = {"$call": call}


_TOOLS = ("get_clarification", "search", "weather", "trains")
SYSTEMS: tuple[System, ...] = (
    System("context", "Context"),
    System("context-with-arguments", "ContextCorrected"),
    System("rag", "BasicRAG", filling=Filling(calls=_call_retrieval)),
    System("react", "React1"),
    System("react", "React2Corrected"),
    System("react-variants", "ReactWithoutReasoning"),
    System("react-variants", "ReactToolsLast"),
    System("multi-agent", "MultiAgent", (2, 5, 9, 20, 30, 55, 64, 70), filling=Filling(calls=_call_memory)),
    System("mint", "MintOriginalCorrected"),
    System("mint-variations", "Var1Corrected"),
    System("mint-variations", "Var2Corrected"),
    System("mint-variations", "Var3Corrected"),
    System("mint-variations", "Var4Corrected"),
    System("mint-variations", "Var5Corrected"),
    System("mint-variations", "Var6Corrected"),
    System(
        "openclaw", "OpenClawCorrected", (2, 3, 4, 5, 6, 7, 8, 10), filling=Filling(adjust=partial(_compact, first=0))
    ),
    System(
        "opencode",
        "OpenCodeMainCorrected",
        (2, 3, 4, 5, 6, 7, 8, 10),
        filling=Filling(adjust=partial(_compact, first=1)),
    ),
    System(
        "pokemon",
        "PokemonCorrected",
        (30, 60, 55, 130, 110, 1010, 2010, 2030),
        (1, 1, 1, 95, 95, 990, 1990, 1995),
        Filling(calls=_call_summaries),
    ),
    System("deepseek", "DeepSeekAgentWithToolsCorrected"),
    System("deepseek", "DeepSeekAgentWithoutTools"),
    System("tool-agent-paper", "ToolAgentCorrected", filling=Filling({"tool": _TOOLS})),
    System("tool-agent-fragments", "ToolAgent"),
    System("chat", "ChatAgent", filling=Filling({"tool": ("calendar", "search", None)}, _answer_by_calls)),
    System("completion", "CompletionPrompt"),
)
