"""Agents of other people as generator: any callable takes a task and gives an answer."""

import asyncio
import inspect
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from threading import Lock, Thread
from typing import TypeAlias, Unpack, cast

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import closest
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.models import UNREPORTED, CallSettings, Model, ModelError, Reply, Usage, shorten
from acdl_mkdocs.playbook.learn.models.model import AgentError, StatusError, is_about_account
from acdl_mkdocs.playbook.learn.replay_cache import Heard
from acdl_mkdocs.playbook.learn.role_models import ROLES, ByRole, description_of
from acdl_mkdocs.playbook.learn.roles import Generated, Reflected, Told, citations
from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Message, Output, Part, Prompt, Text
from acdl_mkdocs.prompts.providers import PROVIDERS, sniff
from acdl_mkdocs.prompts.redact import redacted

MAX_CHARACTERS = 4_000
"""Of one message; what is longer is cut in the middle."""
_OF_RESPONSES = ("function_call", "function_call_output", "reasoning", "message", "custom_tool_call")


@dataclass(frozen=True, slots=True)
class Conversation:
    """What an agent did."""

    text: str
    """Message by message: who said what, which tool was called with what, and what it answered."""
    said: str
    """Words of the agent alone."""
    last: str = ""
    """Its last words, where the conversation ends with them."""

    def ends_with_answer(self, answer: str) -> bool:
        """Whether the answer is what the agent said last, so that it need not be said again."""
        return bool(answer.strip()) and self.last.strip() == answer.strip()


def conversation(trajectory: str | Sequence[Mapping[str, Json]]) -> Conversation:
    """What an agent did, in words.

    Parameters:
        trajectory: Words as they are, or messages: of Chat Completions, Responses, Anthropic or Gemini.
    """
    if isinstance(trajectory, str):
        return Conversation(trajectory, trajectory)
    return conversation_of(messages_of(trajectory))


def messages_of(given: Sequence[Mapping[str, Json]]) -> tuple[Message, ...]:
    """The messages of a list of JSON objects."""
    items: list[Json] = [dict(each) for each in given]
    is_responses = any(isinstance(each, dict) and each.get("type") in _OF_RESPONSES for each in items)
    is_gemini = any(isinstance(each, dict) and "parts" in each for each in items)
    body: dict[str, Json] = {"input" if is_responses else "contents" if is_gemini else "messages": items}
    found = sniff(body) or ""
    return PROVIDERS[found if found in PROVIDERS else "openai"].read(body).prompt.messages


def conversation_of(messages: Iterable[Message]) -> Conversation:
    """The same for messages that were read already."""
    lines: list[str] = []
    said: list[str] = []
    last = ""
    for message in messages:
        if message.role == "system":
            continue
        words = _text(message.parts)
        last = words if message.role == "assistant" else ""
        if last:
            said.append(last)
        lines += [shorten(each, MAX_CHARACTERS) for each in _lines(message, words)]
    return Conversation("\n".join(lines), "\n".join(said), last)


def _lines(message: Message, words: str) -> Iterable[str]:
    if words:
        yield f"{message.name or message.role}: {words}"
    for part in message.parts:
        match part:
            case Call():
                yield f"{message.role} calls {part.tool}({json.dumps(dict(part.args), ensure_ascii=False)})"
            case Output():
                said = _text(part.parts)
                yield f"{part.tool or 'tool'} {'failed' if part.is_error else 'answers'}: {said}"
            case Attachment():
                yield f"{message.role}: ({part.type} {part.name or ''})".replace(" )", ")")


def _text(parts: Iterable[Part]) -> str:
    return "\n".join(part.text for part in parts if isinstance(part, Text) and part.text.strip())


_HOW_TO_USE = (
    "Lessons from earlier tasks follow, each after its id in brackets. Use those that fit the task, and cite the id in "
    "brackets of each lesson that you used."
)
_TOKEN_NAMES = (
    ("prompt_model_tokens", "prompt_tokens", "input_tokens"),
    ("reply_model_tokens", "completion_tokens", "output_tokens"),
)
_LOCK = Lock()
"""Two threads that ask at the same time would make two event loops."""
_KEYS = ("answer", "trajectory", "bullet_ids", "usage", "error", "is_final")


@dataclass(frozen=True, slots=True)
class Earlier:
    """An attempt at the same task that was not right."""

    answer: str
    reflection: str
    """What went wrong and what to do instead."""


@dataclass(frozen=True, slots=True)
class Task:
    """What an agent is asked, with what its playbook has for it."""

    id: str
    question: str
    context: str | None = None
    """What the question is about, where the data set has it apart."""
    playbook: str = ""
    """The lessons, one a line after its id in brackets; empty if there are none."""
    earlier: tuple[Earlier, ...] = ()
    """Attempts that were reflected on, the first one first; empty at the first attempt."""
    seed: int | None = None

    @property
    def instructions(self) -> str:
        """What to add to the agent's own instructions; empty if there is no lesson."""
        return f"{_HOW_TO_USE}\n\n{self.playbook}" if self.playbook else ""

    @property
    def prompt(self) -> str:
        """Context, question and reflections on earlier attempts as one text, for agents that take one input."""
        parts = [self.context, self.question]
        for each in self.earlier:
            parts.append(f"An earlier answer was:\n{each.answer}")
            parts.append(f"What is to be done better:\n{each.reflection}")
        return "\n\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class AgentReply:
    """What an agent gives back."""

    answer: str
    trajectory: str | Sequence[Mapping[str, Json]] = ""
    """What it did: words, or the messages that it exchanged, in the form of any provider. The reflector reads it."""
    bullet_ids: Sequence[str] = ()
    """Lessons that it says it used; ids in brackets in its own words are found too."""
    usage: Usage = UNREPORTED


Agent: TypeAlias = Callable[[Task], "AgentReply | str | Mapping[str, object] | Awaitable[object]"]
"""Answers a task. A text is the answer alone; a map has the fields of `AgentReply`. A coroutine is waited for.

Whatever it raises is the reason why the question has no answer. An agent whose `answers_again` is false is asked once
about each task; its `name` is in logs.
"""


def name_of(agent: Agent) -> str:
    """What an agent is called."""
    given = getattr(agent, "name", None)
    return given if isinstance(given, str) else str(getattr(agent, "__qualname__", type(agent).__qualname__))


class WithAgent:
    """A model for reflector and curator, with an agent that answers the questions.

    Parameters:
        model: Reflects and curates; `None` where questions are only answered.
        agent: Answers.
    """

    def __init__(self, model: Model | None, agent: Agent) -> None:
        self.agent = agent
        self._model = model
        answers = name_of(agent)
        self.name = answers if model is None else f"{model.name}, with answers of {answers}"
        self.description = answers if model is None else f"{description_of(model)}, with answers of {answers}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the model has to say about its server."""
        return tuple(getattr(self._model, "notes", ()))

    def complete(self, prompt: Prompt, **settings: Unpack[CallSettings]) -> Reply:
        """The answer of the model.

        Raises:
            ModelError: There is none.
        """
        if self._model is None:
            raise AgentError("there is no model, only an agent", "name a model", is_final=True)
        return self._model.complete(prompt, **settings)


def with_agent(models: ByRole, agent: Agent) -> ByRole:
    """Models for reflector and curator, with an agent in place of the generator."""
    return ByRole(*(WithAgent(getattr(models, role), agent) for role in ROLES))


def agent_of(model: Model) -> Agent | None:
    """The agent that answers in place of a model, if there is one."""
    found: Agent | None = getattr(model, "agent", None)
    return found


def generate_with(
    agent: Agent,
    heard: Heard,
    sample: Sample,
    lessons: Told,
    earlier: Sequence[tuple[Generated, Reflected]] = (),
    *,
    seed: int | None = None,
) -> Generated:
    """Answer a question with an agent; what it gave is kept, and not asked for again by a run that is resumed.

    Raises:
        AgentError: There is no answer.
    """
    before = tuple(Earlier(each.answer, reflected.words) for each, reflected in earlier)
    task = task_for(sample, lessons, before, seed)
    key = sha256(json.dumps([name_of(agent), asdict(task)], sort_keys=True).encode()).hexdigest()[:32]
    kept = heard.remember(key, lambda: _as_reply(asked(agent, task), name_of(agent)))
    return generated(agent_reply(json.loads(kept.text), kept.usage), lessons)


def asked(agent: Agent, task: Task) -> AgentReply:
    """What an agent gives for a task.

    Raises:
        AgentError: It failed, or gave nothing that is an answer.
    """
    try:
        given = agent(task)
        return agent_reply(_waited_for(given) if inspect.isawaitable(given) else given)
    except ModelError:
        raise
    except Exception as fault:
        status = getattr(fault, "status_code", None)
        is_final = is_about_account(str(fault))
        if isinstance(status, int):
            is_final |= StatusError(str(fault), status=status).is_final
        kind = type(fault).__name__
        raise AgentError(
            f"{name_of(agent)} failed with {kind}: {shorten(str(fault), 1000)}", is_final=is_final
        ) from fault


def agent_reply(given: object, usage: Usage = UNREPORTED) -> AgentReply:
    """What an agent gave, as a reply.

    Raises:
        AgentError: It is none.
    """
    if isinstance(given, AgentReply):
        if not isinstance(given.answer, str):
            raise AgentError(f"the agent's `answer` is a {type(given.answer).__name__}", "give a text")
        return given
    if isinstance(given, str):
        return AgentReply(given, usage=usage)
    if not isinstance(given, Mapping):
        kind = "nothing" if given is None else f"a {type(given).__name__}"
        raise AgentError(f"the agent gave {kind}", "give a text, a map with `answer`, or an `AgentReply`")
    for key in given:
        if key not in _KEYS:
            near = closest(str(key), _KEYS)
            hint = f"did you mean `{near}`?" if near else f"there are {', '.join(_KEYS)}"
            raise AgentError(f"the agent's reply has a key `{str(key)[:80]}`", hint)
    if given.get("error"):
        raise AgentError(
            f"the agent says: {shorten(str(given['error']), 1000)}", is_final=given.get("is_final") is True
        )
    return AgentReply(
        _answer(given.get("answer")),
        _trajectory(given.get("trajectory")),
        _ids(given.get("bullet_ids")),
        _usage(given["usage"]) if given.get("usage") else usage,
    )


def generated(reply: AgentReply, lessons: Told) -> Generated:
    """A reply of an agent as one of the generator: what it cites, and its words as the reflector reads them."""
    did = conversation(reply.trajectory)
    cited = citations(reply.bullet_ids, f"{did.said}\n{reply.answer}", lessons.ids)
    words = (
        did.text if did.ends_with_answer(reply.answer) else "\n\n".join(filter(None, [did.text, _final(reply.answer)]))
    )
    return Generated(shorten(words), reply.answer, cited.known, cited.unknown)


def _final(answer: str) -> str:
    return f"Final answer: {answer}"


def task_for(sample: Sample, lessons: Told, earlier: tuple[Earlier, ...] = (), seed: int | None = None) -> Task:
    """What an agent is asked about a sample."""
    return Task(sample.id, sample.question, sample.context, lessons.playbook, earlier, seed)


def _as_reply(reply: AgentReply, name: str) -> Reply:
    """A reply of an agent in the form in which replies of models are kept."""
    trajectory = reply.trajectory if isinstance(reply.trajectory, str) else [dict(each) for each in reply.trajectory]
    try:
        did = redacted(cast("Json", trajectory))  # tools print keys, which neither files nor other models need
        data = {"answer": reply.answer, "trajectory": did, "bullet_ids": list(reply.bullet_ids)}
        text = json.dumps(data, ensure_ascii=False)
    except (TypeError, ValueError) as fault:
        raise AgentError(f"the agent's trajectory is not JSON: {fault}", "give texts, lists and maps") from None
    return Reply(text.encode("utf-8", "replace").decode("utf-8"), reply.usage, name)


def _waited_for(given: Awaitable[object]) -> object:
    """The result of a coroutine."""

    async def wait() -> object:
        return await given

    with _LOCK:
        loop = _event_loop(os.getpid())
    future = asyncio.run_coroutine_threadsafe(wait(), loop)
    try:
        return future.result()
    finally:
        future.cancel()


@cache
def _event_loop(process: int) -> asyncio.AbstractEventLoop:
    """The event loop of a process, in a thread of its own: asynchronous clients belong to the loop they began with.

    So an agent may keep its client from question to question, and be asked where a loop runs already, as in a notebook.
    """
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name=f"acdl-agents-{process}", daemon=True).start()
    return loop


def _answer(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    kind = "is missing" if value is None else f"is a {type(value).__name__}"
    raise AgentError(f"the agent's `answer` {kind}", "give a text")


def _trajectory(value: object) -> str | list[Mapping[str, Json]]:
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, Sequence) and all(isinstance(each, Mapping) for each in value):
        return list(value)
    raise AgentError("the agent's `trajectory` is neither a text nor a list of messages", "give one of them")


def _ids(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Sequence) and all(isinstance(each, str) for each in value):
        return tuple(value)
    raise AgentError("the agent's `bullet_ids` is no list of texts", "give the ids that it used")


def _usage(value: object) -> Usage:
    """Model tokens, by any of the names that providers have for them."""
    if isinstance(value, Usage):
        return value
    counts = value if isinstance(value, Mapping) else {}
    found = [
        next((counts[name] for name in names if isinstance(counts.get(name), int)), None) for names in _TOKEN_NAMES
    ]
    if all(each is None for each in found):
        return UNREPORTED
    return Usage(found[0] or 0, found[1] or 0)
