"""Agents of real frameworks as agents that learn: their models are scripted, all else is the framework's own code."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from scripted_task import delta, new_playbook, playbook_of, reflection

from acdl_mkdocs.playbook.learn.adapters import langgraph, openai_agents, pydantic_ai
from acdl_mkdocs.playbook.learn.agents import (
    Agent,
    Earlier,
    Task,
    WithAgent,
    ask_agent,
    make_generator_reply,
    parse_agent_reply,
    read_conversation,
)
from acdl_mkdocs.playbook.learn.datasets import Sample
from acdl_mkdocs.playbook.learn.loop import Settings, offline
from acdl_mkdocs.playbook.learn.models import Usage
from acdl_mkdocs.playbook.learn.models.model import AgentError
from acdl_mkdocs.playbook.learn.models.scripted import Scripted, prompt_words
from acdl_mkdocs.playbook.learn.roles import PromptLessons
from acdl_mkdocs.prompts.prompt import Prompt

ID = "gen-7k3q9f2m"
LESSON = f"## General\n[{ID}] helpful=0 harmful=0 :: Count one blim as 7 snarks."
TASK = Task("blim-2", "How many snarks are 2 blims?", playbook=LESSON)
LESSONS = PromptLessons(LESSON, {ID: ID})
OWN = "You convert units."
FINAL = f"By [{ID}] it is 14."

Seen = list[tuple[str, str]]
"""What a scripted model of a framework was sent, call by call: its instructions and its last user message."""


def of_openai(seen: Seen, reply: Callable[[str], str], *, calls_tool: bool = True) -> Agent:
    """An agent of the OpenAI Agents SDK that calls a tool and then answers."""
    pytest.importorskip("agents.run")  # `agents` alone is found as a folder of tests
    sdk = import_module("agents")
    types = pytest.importorskip("openai.types.responses")
    sdk.set_tracing_disabled(True)

    class Model(sdk.Model):  # type: ignore[misc,name-defined]
        async def get_response(self, system_instructions: str | None, input: Any, *_: Any, **__: Any) -> Any:
            items = [{"role": "user", "content": input}] if isinstance(input, str) else input
            asked = next(each["content"] for each in items if each.get("role") == "user")
            seen.append((system_instructions or "", asked))
            has_result = any(each.get("type") == "function_call_output" for each in items)
            output: Any
            if calls_tool and not has_result:
                output = types.ResponseFunctionToolCall(
                    arguments='{"a": 2, "b": 7}', call_id="c1", name="multiply", type="function_call"
                )
            else:
                text = types.ResponseOutputText(
                    annotations=[], text=reply(system_instructions or ""), type="output_text"
                )
                output = types.ResponseOutputMessage(
                    id="m1", content=[text], role="assistant", status="completed", type="message"
                )
            usage = sdk.Usage(requests=1, input_tokens=10, output_tokens=2, total_tokens=12)
            return sdk.ModelResponse(output=[output], usage=usage, response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
            raise NotImplementedError

    @sdk.function_tool  # type: ignore[untyped-decorator]
    def multiply(a: int, b: int) -> int:
        return a * b

    return openai_agents(sdk.Agent(name="converter", instructions=OWN, model=Model(), tools=[multiply]))


def of_pydantic(seen: Seen, reply: Callable[[str], str], *, calls_tool: bool = True) -> Agent:
    """An agent of pydantic-ai that calls a tool and then answers."""
    package = pytest.importorskip("pydantic_ai")
    messages = pytest.importorskip("pydantic_ai.messages")
    function = pytest.importorskip("pydantic_ai.models.function")

    def model(sent: Sequence[Any], _: Any) -> Any:
        asked = next(part.content for each in sent for part in each.parts if part.part_kind == "user-prompt")
        seen.append((str(sent[-1].instructions or ""), asked))
        if calls_tool and not any(part.part_kind == "tool-return" for each in sent for part in each.parts):
            call = messages.ToolCallPart("multiply", {"a": 2, "b": 7}, tool_call_id="c1")
            return messages.ModelResponse(parts=[call])
        return messages.ModelResponse(parts=[messages.TextPart(reply(str(sent[-1].instructions or "")))])

    agent = package.Agent(function.FunctionModel(model), instructions=OWN, name="converter")

    @agent.tool_plain  # type: ignore[untyped-decorator]
    def multiply(a: int, b: int) -> int:
        return a * b

    return pydantic_ai(agent)


def of_langgraph(seen: Seen, reply: Callable[[str], str], *, calls_tool: bool = True) -> Agent:
    """A graph of LangGraph with a node for the model and one for its tool."""
    graphs = pytest.importorskip("langgraph.graph")
    messages = pytest.importorskip("langchain_core.messages")

    def model(state: dict[str, Any]) -> dict[str, Any]:
        sent = state["messages"]
        told = "\n".join([OWN, *(each.text for each in sent if each.type == "system")])
        seen.append((told, next(each.text for each in sent if each.type == "human")))
        usage = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
        if calls_tool and not any(each.type == "tool" for each in sent):
            call = {"name": "multiply", "args": {"a": 2, "b": 7}, "id": "c1"}
            return {"messages": [messages.AIMessage("", tool_calls=[call], usage_metadata=usage)]}
        return {"messages": [messages.AIMessage(reply(told), usage_metadata=usage)]}

    def tool(state: dict[str, Any]) -> dict[str, Any]:
        args = state["messages"][-1].tool_calls[0]["args"]
        return {"messages": [messages.ToolMessage(str(args["a"] * args["b"]), tool_call_id="c1", name="multiply")]}

    graph = graphs.StateGraph(graphs.MessagesState)
    graph.add_node("model", model)
    graph.add_node("tool", tool)
    graph.add_edge(graphs.START, "model")
    graph.add_conditional_edges("model", lambda state: "tool" if state["messages"][-1].tool_calls else graphs.END)
    graph.add_edge("tool", "model")
    return langgraph(graph.compile(name="converter"))


FRAMEWORKS = {"openai-agents": of_openai, "pydantic-ai": of_pydantic, "langgraph": of_langgraph}


@pytest.fixture(params=FRAMEWORKS)
def framework(request: pytest.FixtureRequest) -> Callable[..., Agent]:
    """What makes an agent of a framework."""
    return FRAMEWORKS[request.param]


def test_an_agent_of_a_framework(framework: Callable[..., Agent]) -> None:
    """Its model gets the lessons behind its own instructions; answer, calls, citations and model tokens come back."""
    seen: Seen = []
    reply = ask_agent(framework(seen, lambda _: FINAL), TASK)
    assert [told for told, _ in seen] == [seen[0][0]] * 2
    assert seen[0][0].startswith(OWN)
    assert seen[0][0].endswith(LESSON)
    assert [words for _, words in seen] == [TASK.question] * 2
    assert reply.answer == FINAL
    assert reply.usage.model_tokens > 0
    did = read_conversation(reply.trajectory)
    assert did.text.splitlines() == [
        f"user: {TASK.question}",
        'assistant calls multiply({"a": 2, "b": 7})',
        "multiply answers: 14",
        f"assistant: {FINAL}",
    ]
    found = make_generator_reply(reply, LESSONS)
    assert (found.answer, found.bullet_ids, found.unknown_ids) == (FINAL, (ID,), ())
    assert found.text == did.text  # the answer is not said twice


def test_an_agent_of_a_framework_without_lessons(framework: Callable[..., Agent]) -> None:
    """An empty playbook adds nothing to the instructions, and earlier attempts stand in the question."""
    seen: Seen = []
    earlier = (Earlier("12", "Multiply, do not add."),)
    ask_agent(framework(seen, lambda _: "14", calls_tool=False), Task("s", TASK.question, earlier=earlier))
    ((told, words),) = seen
    assert told == OWN
    assert words.endswith("An earlier answer was:\n12\n\nWhat is to be done better:\nMultiply, do not add.")


def test_an_agent_of_a_framework_learns(framework: Callable[..., Agent], tmp_path: Path) -> None:
    """From a wrong answer to a lesson to a right answer, with the framework's own agent as generator."""

    def reply(told: str) -> str:
        return "14" if "Count one blim as 7 snarks." in told else "1"

    def roles(prompt: Prompt) -> str:
        words = prompt_words(prompt)
        return reflection(words) if '"key_insight"' in words else delta(words)

    path = new_playbook(tmp_path)
    agent = framework([], reply, calls_tool=False)
    sample = Sample("blim-2", TASK.question, "14")
    ran = offline(path, [sample], WithAgent(Scripted(roles), agent), Settings(epochs=2, rounds=2))
    assert [each["accuracy"] for each in ran.points] == [0.0, 1.0]
    assert [each.content for each in playbook_of(path).active] == ["Count one blim as 7 snarks."]


def test_a_framework_that_fails(framework: Callable[..., Agent]) -> None:
    """What a framework raises is the reason why the question has no answer."""

    def reply(_: str) -> str:
        raise RuntimeError("the model of the agent is away")

    with pytest.raises(AgentError, match="converter failed with RuntimeError: the model of the agent is away"):
        ask_agent(framework([], reply, calls_tool=False), TASK)


def test_a_plain_loop() -> None:
    """An agent without a framework gives the messages that it kept, in the form that it sent them in."""

    def loop(task: Task) -> dict[str, object]:
        call = {"id": "1", "type": "function", "function": {"name": "multiply", "arguments": '{"a":2,"b":7}'}}
        messages = [
            {"role": "system", "content": f"{OWN}\n\n{task.instructions}"},
            {"role": "user", "content": task.prompt},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "1", "content": "14"},
            {"role": "assistant", "content": FINAL},
        ]
        usage = {"prompt_tokens": 9, "completion_tokens": 3}
        return {"answer": "14", "trajectory": messages, "usage": usage, "bullet_ids": ["gen-00000000"]}

    reply = ask_agent(loop, TASK)
    assert reply.usage == Usage(9, 3)
    found = make_generator_reply(reply, LESSONS)
    assert found.text == (
        f'user: {TASK.question}\nassistant calls multiply({{"a": 2, "b": 7}})\nmultiply answers: 14\n'
        f"assistant: {FINAL}\n\nFinal answer: 14"
    )
    assert (found.bullet_ids, found.unknown_ids) == ((ID,), ("gen-00000000",))


def test_messages_of_every_provider() -> None:
    """The same exchange in the form of each provider is the same text."""
    chat = [
        {"role": "user", "content": "2 blims?"},
        {
            "role": "assistant", "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "times", "arguments": '{"a": 2}'}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "14"},
        {"role": "assistant", "content": "14"},
    ]  # fmt: skip
    responses = [
        {"role": "user", "content": "2 blims?"},
        {"type": "function_call", "call_id": "1", "name": "times", "arguments": '{"a": 2}'},
        {"type": "function_call_output", "call_id": "1", "output": "14"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "14"}]},
    ]
    anthropic = [
        {"role": "user", "content": "2 blims?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "times", "input": {"a": 2}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "14"}]},
        {"role": "assistant", "content": "14"},
    ]
    gemini = [
        {"role": "user", "parts": [{"text": "2 blims?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "times", "args": {"a": 2}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "times", "response": {"result": "14"}}}]},
        {"role": "model", "parts": [{"text": "14"}]},
    ]
    for messages in (chat, responses, anthropic, gemini):
        given = parse_agent_reply({"answer": "14", "trajectory": json.loads(json.dumps(messages))})
        did = read_conversation(given.trajectory)
        lines = did.text.splitlines()
        assert (lines[:2], lines[3]) == (["user: 2 blims?", 'assistant calls times({"a": 2})'], "assistant: 14"), lines
        assert lines[2].partition(" ")[2].startswith("answers: "), lines
        assert "14" in lines[2]
        assert (did.agent_words, did.last_words) == ("14", "14")
