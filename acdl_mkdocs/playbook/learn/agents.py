"""Your own agents as generator: any callable that takes a task and returns an answer."""

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
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.models import UNREPORTED, CallSettings, Model, ModelError, Reply, Usage, shorten_text
from acdl_mkdocs.playbook.learn.models.model import AgentError, StatusError, is_about_account
from acdl_mkdocs.playbook.learn.replay_cache import CachedModel
from acdl_mkdocs.playbook.learn.role_models import ROLES, ByRole, description_of
from acdl_mkdocs.playbook.learn.roles import GeneratorReply, PromptLessons, ReflectorReply, find_citations
from acdl_mkdocs.prompts.prompt import Attachment, Call, Json, Message, Output, Part, Prompt, Text
from acdl_mkdocs.prompts.providers import PROVIDERS, sniff
from acdl_mkdocs.prompts.redact import redact_value

MAX_CHARACTERS = 4_000
"""Limit of one message; a longer one is cut in the middle."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The record of an agent's work."""

    text: str
    """Message by message: the speakers, and the tool calls with arguments and results."""
    agent_words: str
    """The agent's own text only."""
    last_words: str = ""
    """Its last text, if the conversation ends with it."""

    def ends_with_answer(self, answer: str) -> bool:
        """Return whether the agent's last text is the answer, so that it need not be repeated."""
        return bool(answer.strip()) and self.last_words.strip() == answer.strip()


def read_conversation(trajectory: str | Sequence[Mapping[str, Json]]) -> Conversation:
    """Convert what an agent did to text.

    Parameters:
        trajectory: Text, which is kept, or messages: of Chat Completions, Responses, Anthropic or Gemini.
    """
    if isinstance(trajectory, str):
        return Conversation(trajectory, trajectory)
    return build_conversation(messages_of(trajectory))


def messages_of(objects: Sequence[Mapping[str, Json]]) -> tuple[Message, ...]:
    """Read messages from a list of JSON objects."""
    items = [dict(each) for each in objects]
    keys = (each.messages_key for each in PROVIDERS.values() if any(map(each.is_message, items)))
    body: dict[str, Json] = {next(keys, "messages"): list(items)}
    provider = sniff(body) or ""
    return PROVIDERS[provider if provider in PROVIDERS else "openai"].read(body).prompt.messages


def build_conversation(messages: Iterable[Message]) -> Conversation:
    """Convert messages to text."""
    lines: list[str] = []
    replies: list[str] = []
    last = ""
    for message in messages:
        if message.role == "system":
            continue
        words = _text(message.parts)
        last = words if message.role == "assistant" else ""
        if last:
            replies.append(last)
        lines += [shorten_text(each, MAX_CHARACTERS) for each in _lines(message, words)]
    return Conversation("\n".join(lines), "\n".join(replies), last)


def _lines(message: Message, words: str) -> Iterable[str]:
    if words:
        yield f"{message.name or message.role}: {words}"
    for part in message.parts:
        match part:
            case Call():
                yield f"{message.role} calls {part.tool}({json.dumps(dict(part.args), ensure_ascii=False)})"
            case Output():
                result = _text(part.parts)
                yield f"{part.tool or 'tool'} {'failed' if part.is_error else 'answers'}: {result}"
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
"""Prevents two threads that start at the same time from creating two event loops."""
_KEYS = ("answer", "trajectory", "bullet_ids", "usage", "error", "is_final")


@dataclass(frozen=True, slots=True)
class Earlier:
    """An earlier, wrong attempt at the same task."""

    answer: str
    """The wrong answer."""
    reflection: str
    """What went wrong and what to do instead."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task for an agent, with the lessons of its playbook."""

    id: str
    """Its identifier in the data set."""
    question: str
    """What the agent has to answer."""
    context: str | None = None
    """The context of the question, if the data set has it separately."""
    playbook: str = ""
    """The lessons, one a line with its id in brackets; empty if there are none."""
    earlier: tuple[Earlier, ...] = ()
    """Earlier attempts with reflections, in order; empty at the first attempt."""
    seed: int | None = None
    """For a model that accepts one, so that runs can be repeated; `None` leaves it to the model."""

    @property
    def instructions(self) -> str:
        """The lessons and how to use them, to add to the agent's own instructions; empty without lessons."""
        return f"{_HOW_TO_USE}\n\n{self.playbook}" if self.playbook else ""

    @property
    def prompt(self) -> str:
        """Context, question and reflections on earlier attempts as one text, for agents with a single input."""
        parts = [self.context, self.question]
        for each in self.earlier:
            parts.append(f"An earlier answer was:\n{each.answer}")
            parts.append(f"What is to be done better:\n{each.reflection}")
        return "\n\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class AgentReply:
    """The reply of an agent."""

    answer: str
    """The final answer, as the scorer gets it."""
    trajectory: str | Sequence[Mapping[str, Json]] = ""
    """What the agent did: text, or the messages that it exchanged, in the form of any provider. The reflector reads
    it."""
    bullet_ids: Sequence[str] = ()
    """Lessons that it reports as used; ids in brackets in its text are found too."""
    usage: Usage = UNREPORTED
    """Model tokens that the agent used; by default, counted as not reported."""


Agent: TypeAlias = Callable[[Task], "AgentReply | str | Mapping[str, object] | Awaitable[object]"]
"""Answers a task. A text is the answer alone; a map has the fields of `AgentReply`. A coroutine is awaited.

An exception means that the question has no answer, and is the reason. An agent whose `answers_again` is false is asked
once about each task; its `name` appears in logs.
"""


def name_of(agent: Agent) -> str:
    """Return the name of an agent."""
    name = getattr(agent, "name", None)
    return name if isinstance(name, str) else str(getattr(agent, "__qualname__", type(agent).__qualname__))


class WithAgent:
    """A model for reflector and curator, with an agent that answers the questions.

    Parameters:
        model: Reflects and curates; `None` if questions are only answered.
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
        """Remarks of the model about its server."""
        return tuple(getattr(self._model, "notes", ()))

    def complete(self, prompt: Prompt, **settings: Unpack[CallSettings]) -> Reply:
        """Return the reply of the model.

        Raises:
            ModelError: There is none.
        """
        if self._model is None:
            raise AgentError("there is no model, only an agent", "name a model", is_final=True)
        return self._model.complete(prompt, **settings)


def with_agent(models: ByRole, agent: Agent) -> ByRole:
    """Replace the generator of the models by an agent."""
    return ByRole(*(WithAgent(getattr(models, role), agent) for role in ROLES))


def agent_of(model: Model) -> Agent | None:
    """Return the agent that answers in place of a model, if there is one."""
    agent: Agent | None = getattr(model, "agent", None)
    return agent


def generate_with(
    agent: Agent,
    cached: CachedModel,
    sample: Sample,
    lessons: PromptLessons,
    earlier: Sequence[tuple[GeneratorReply, ReflectorReply]] = (),
    *,
    seed: int | None = None,
) -> GeneratorReply:
    """Answer a question with an agent; its reply is cached, so that a resumed run does not ask again.

    Raises:
        AgentError: There is no answer.
    """
    before = tuple(Earlier(each.answer, reflected.words) for each, reflected in earlier)
    task = task_for(sample, lessons, before, seed)
    key = sha256(json.dumps([name_of(agent), asdict(task)], sort_keys=True).encode()).hexdigest()[:32]
    reply = cached.find_or_ask(key, lambda: _as_reply(ask_agent(agent, task), name_of(agent)))
    return make_generator_reply(parse_agent_reply(json.loads(reply.text), reply.usage), lessons)


def ask_agent(agent: Agent, task: Task) -> AgentReply:
    """Ask an agent about a task.

    Raises:
        AgentError: It failed, or returned something that is not an answer.
    """
    try:
        reply = agent(task)
        return parse_agent_reply(_wait_for(reply) if inspect.isawaitable(reply) else reply)
    except ModelError:
        raise
    except Exception as fault:
        status = getattr(fault, "status_code", None)
        is_final = is_about_account(str(fault))
        if isinstance(status, int):
            is_final |= StatusError(str(fault), status=status).is_final
        kind = type(fault).__name__
        raise AgentError(
            f"{name_of(agent)} failed with {kind}: {shorten_text(str(fault), 1000)}", is_final=is_final
        ) from fault


def parse_agent_reply(value: object, usage: Usage = UNREPORTED) -> AgentReply:
    """Convert what an agent returned to a reply.

    Raises:
        AgentError: It is not a reply.
    """
    if isinstance(value, AgentReply):
        if not isinstance(value.answer, str):
            raise AgentError(f"the agent's `answer` is a {type(value.answer).__name__}", "give a text")
        return value
    if isinstance(value, str):
        return AgentReply(value, usage=usage)
    if not isinstance(value, Mapping):
        kind = "nothing" if value is None else f"a {type(value).__name__}"
        raise AgentError(f"the agent gave {kind}", "give a text, a map with `answer`, or an `AgentReply`")
    for key in value:
        if key not in _KEYS:
            near = find_closest(str(key), _KEYS)
            hint = f"did you mean `{near}`?" if near else f"there are {', '.join(_KEYS)}"
            raise AgentError(f"the agent's reply has a key `{str(key)[:80]}`", hint)
    if value.get("error"):
        raise AgentError(
            f"the agent says: {shorten_text(str(value['error']), 1000)}", is_final=value.get("is_final") is True
        )
    return AgentReply(
        _answer(value.get("answer")),
        _trajectory(value.get("trajectory")),
        _ids(value.get("bullet_ids")),
        _usage(value["usage"]) if value.get("usage") else usage,
    )


def make_generator_reply(reply: AgentReply, lessons: PromptLessons) -> GeneratorReply:
    """Convert a reply of an agent to one of the generator: with its citations, and its text for the reflector."""
    did = read_conversation(reply.trajectory)
    cited = find_citations(reply.bullet_ids, f"{did.agent_words}\n{reply.answer}", lessons.ids)
    words = (
        did.text
        if did.ends_with_answer(reply.answer)
        else "\n\n".join(filter(None, [did.text, _write_final(reply.answer)]))
    )
    return GeneratorReply(shorten_text(words), reply.answer, cited.known, cited.unknown)


def _write_final(answer: str) -> str:
    return f"Final answer: {answer}"


def task_for(
    sample: Sample, lessons: PromptLessons, earlier: tuple[Earlier, ...] = (), seed: int | None = None
) -> Task:
    """Make the task of a sample."""
    return Task(sample.id, sample.question, sample.context, lessons.playbook, earlier, seed)


def _as_reply(reply: AgentReply, name: str) -> Reply:
    """Convert a reply of an agent to the form in which replies of models are stored."""
    trajectory = reply.trajectory if isinstance(reply.trajectory, str) else [dict(each) for each in reply.trajectory]
    try:
        did = redact_value(cast("Json", trajectory))  # tools print keys, which files and other models must not get
        data = {"answer": reply.answer, "trajectory": did, "bullet_ids": list(reply.bullet_ids)}
        text = json.dumps(data, ensure_ascii=False)
    except (TypeError, ValueError) as fault:
        raise AgentError(f"the agent's trajectory is not JSON: {fault}", "give texts, lists and maps") from None
    return Reply(text.encode("utf-8", "replace").decode("utf-8"), reply.usage, name)


def _wait_for(awaitable: Awaitable[object]) -> object:
    """Return the result of a coroutine."""

    async def wait() -> object:
        return await awaitable

    with _LOCK:
        loop = _event_loop(os.getpid())
    future = asyncio.run_coroutine_threadsafe(wait(), loop)
    try:
        return future.result()
    finally:
        future.cancel()


@cache
def _event_loop(process: int) -> asyncio.AbstractEventLoop:
    """Return the event loop of a process, in a separate thread: asynchronous clients are bound to their first loop.

    So an agent may keep its client between questions, and be asked while another loop runs, as in a notebook.
    """
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name=f"acdl-agents-{process}", daemon=True).start()
    return loop


def _answer(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, int, float)):
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
    raise AgentError("the agent's `bullet_ids` is not a list of texts", "give the ids that it used")


def _usage(value: object) -> Usage:
    """Return the model tokens, by any of the names that providers use."""
    if isinstance(value, Usage):
        return value
    counts = value if isinstance(value, Mapping) else {}
    numbers = [next((counts[name] for name in names if _is_count(counts.get(name))), None) for names in _TOKEN_NAMES]
    if all(each is None for each in numbers):
        return UNREPORTED
    return Usage(numbers[0] or 0, numbers[1] or 0)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
