"""Adapt agents of frameworks to the loop: one function for each framework.

Each appends the lessons to the agent's own instructions, asks it, and returns its answer, the messages that it
exchanged, and the model tokens that the framework counted. A framework is imported when its first agent is used.
"""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, cast

from acdl_mkdocs.playbook.learn.agents import Agent, AgentReply, Task
from acdl_mkdocs.playbook.learn.models import UNREPORTED, Usage
from acdl_mkdocs.prompts.prompt import Json

_Messages = Sequence[Mapping[str, Json]]


def openai_agents(agent: Any, *, max_turns: int = 10) -> Agent:
    """Adapt an agent of the OpenAI Agents SDK (`pip install openai-agents`).

    Parameters:
        agent: An `agents.Agent`; its instructions may be a text or a function.
        max_turns: Limit of calls of the model for one question.
    """

    async def answer(task: Task) -> AgentReply:
        sdk = import_module("agents")
        instructed_agent = agent.clone(instructions=_instructions(agent.instructions, task.instructions))
        result = await sdk.Runner.run(instructed_agent, task.prompt, max_turns=max_turns)
        used = result.context_wrapper.usage
        usage = Usage(used.input_tokens, used.output_tokens) if used.requests and used.total_tokens else UNREPORTED
        return AgentReply(_as_text(result.final_output), _to_json(result.to_input_list()), usage=usage)

    return _name_agent(answer, agent.name)


def pydantic_ai(agent: Any, *, deps: object = None) -> Agent:
    """Adapt an agent of pydantic-ai (`pip install pydantic-ai`).

    Parameters:
        agent: A `pydantic_ai.Agent`.
        deps: The dependencies of its tools.
    """

    async def answer(task: Task) -> AgentReply:
        result = await agent.run(task.prompt, instructions=task.instructions or None, deps=deps)
        used = result.usage() if inspect.ismethod(result.usage) else result.usage
        counts = Usage(used.input_tokens or 0, used.output_tokens or 0)
        messages = [each for message in json.loads(result.all_messages_json()) for each in _convert_message(message)]
        return AgentReply(_as_text(result.output), messages, usage=counts if counts.model_tokens else UNREPORTED)

    return _name_agent(answer, agent.name or "pydantic_ai")


def langgraph(
    graph: Any,
    *,
    state: Callable[[Task], Mapping[str, object]] | None = None,
    answer: Callable[[Mapping[str, Any]], str] | None = None,
) -> Agent:
    """Adapt a compiled graph of LangGraph, or any runnable with a state of messages, such as an agent of LangChain.

    Parameters:
        graph: Any object with `ainvoke`.
        state: The initial state of a task; by default `messages`: the lessons as a system message, and the task.
        answer: The answer in the last state; by default the text of the last message.
    """

    async def run(task: Task) -> AgentReply:
        last = await graph.ainvoke(dict((state or _messages)(task)))
        messages = list(last.get("messages", ()))
        text = answer(last) if answer is not None else _as_text(messages[-1].text if messages else "")
        convert = import_module("langchain_core.messages").convert_to_openai_messages
        return AgentReply(text, _to_json(convert(messages)), usage=_usage_of(messages))

    return _name_agent(run, getattr(graph, "name", None) or "langgraph")


def _messages(task: Task) -> Mapping[str, object]:
    lessons = [{"role": "system", "content": task.instructions}] if task.instructions else []
    return {"messages": [*lessons, {"role": "user", "content": task.prompt}]}


def _usage_of(messages: Sequence[Any]) -> Usage:
    """Return the model tokens that the messages of a model report."""
    usages = [used for each in messages if (used := getattr(each, "usage_metadata", None))]
    counts = [Usage(int(each["input_tokens"]), int(each["output_tokens"])) for each in usages]
    return sum(counts, Usage()) if counts else UNREPORTED


def _instructions(own: object, lessons: str) -> object:
    """Append the lessons to an agent's own instructions."""
    if not lessons:
        return own
    if own is None or isinstance(own, str):
        return f"{own}\n\n{lessons}" if own else lessons

    async def both(context: object, agent: object) -> str:
        own_instructions = cast(Callable[[object, object], Any], own)(context, agent)
        return f"{await own_instructions if hasattr(own_instructions, '__await__') else own_instructions}\n\n{lessons}"

    return both


def _convert_message(message: Mapping[str, Any]) -> list[Mapping[str, Json]]:
    """Convert a message of pydantic-ai to messages of Chat Completions."""
    messages: list[Mapping[str, Json]] = []
    texts: list[str] = []
    calls: list[Json] = []
    for part in message["parts"]:
        kind, content = part["part_kind"], _as_text(part.get("content"))
        if kind == "user-prompt":
            messages.append({"role": "user", "content": content})
        elif kind in ("tool-return", "builtin-tool-return", "retry-prompt"):
            call_id = part.get("tool_call_id")
            messages.append(
                {"role": "tool", "tool_call_id": call_id, "name": part.get("tool_name"), "content": content}
            )
        elif kind == "text":
            texts.append(content)
        elif kind in ("tool-call", "builtin-tool-call"):
            named: Json = {"name": part["tool_name"], "arguments": _as_text(part.get("args") or {})}
            calls.append({"id": part.get("tool_call_id"), "type": "function", "function": named})
    if texts or calls:
        messages.append({"role": "assistant", "content": "\n".join(texts), **({"tool_calls": calls} if calls else {})})
    return messages


def _as_text(value: object) -> str:
    """Return an output as text: structured ones as JSON."""
    if isinstance(value, str):
        return value
    dump = getattr(value, "model_dump_json", None)
    return str(dump()) if callable(dump) else json.dumps(value, ensure_ascii=False, default=str)


def _to_json(messages: object) -> _Messages:
    """Convert messages to JSON objects."""
    plain: _Messages = json.loads(json.dumps(messages, default=lambda each: _as_text(each)))
    return plain


def _name_agent(answer: Agent, name: str) -> Agent:
    answer.name = name  # type: ignore[attr-defined]
    return answer
