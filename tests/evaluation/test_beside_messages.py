"""Tools, memory and attachments of a state: read, checked, and sent beside the messages or in them."""

from acdl_mkdocs.evaluation.evaluate import evaluate
from acdl_mkdocs.evaluation.state.read import read_state
from acdl_mkdocs.evaluation.transcript import build_prompt
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.analyse import parse_and_resolve
from acdl_mkdocs.prompts.prompt import Attachment, Json, Memory, Thinking, Tool
from acdl_mkdocs.prompts.providers import WIRES

STATE = """acdl_state: 1
tools:
- {name: W, alias: get_weather, description: Weather, parameters: {type: object, properties: {loc: {}}}, trigger: true}
- name: clock
memory:
- Lives in Lisbon.
- {kind: summary, key: last week, text: A walk was planned.}
env:
  file: {$attachment: {type: file, name: a.txt, path: src/a.txt, mime: text/plain, id: f1, text: words}}
  image: {$attachment: {type: image, mime: image/png, data: aGk=}}
  thought: {$thinking: {text: opaque, provider: anthropic, redacted: true}}
"""


def messages(text: str) -> list[str]:
    """What is wrong with a state."""
    return [each.message for each in read_state(f"acdl_state: 1\n{text}").problems]


def test_sent() -> None:
    """What a state has of them is in the prompt, and a request has its tools."""
    file = read_state(STATE)
    assert file.problems == ()
    resolved = parse_and_resolve(Source("A[@T]: { U: { env.file env.image } A: env.thought }", "a.acdl")).resolved
    prompt = build_prompt(evaluate(resolved, file.state, "1"))
    weather: dict[str, Json] = {"type": "object", "properties": {"loc": {}}}
    assert prompt.tools == (Tool("W", "Weather", weather, "get_weather", has_trigger=True), Tool("clock"))
    assert prompt.memory == (Memory("Lives in Lisbon."), Memory("A walk was planned.", "summary", "last week"))
    user, assistant = prompt.messages
    words = Attachment("file", "a.txt", "src/a.txt", "text/plain", text="words", id="f1")
    assert user.parts == (words, Attachment("image", mime="image/png", data="aGk="))
    assert assistant.parts == (Thinking("opaque", is_redacted=True, provider="anthropic"),)
    body = WIRES["openai"].write(prompt, "m").body
    assert isinstance(body, dict)
    assert len(body["tools"]) == 2  # type: ignore[arg-type]  # a list, or the test fails


def test_nothing() -> None:
    """Empty sections are none."""
    file = read_state("acdl_state: 1\ntools:\nmemory: []\n")
    assert file.problems == ()
    assert file.state is not None
    assert (file.state.tools, file.state.memory) == ((), ())


def test_wrong() -> None:
    """Everything that is wrong is said with its path."""
    assert messages("tools: {name: W}") == ["tools is a map, and a list is needed"]
    assert messages("tools: [{desc: x}]") == ["tools.1 has no `name`", "tools.1.desc means nothing here"]
    assert messages("tools: [{name: W}, {name: W}]") == ["tools.2.name is `W`, as that of a tool before it"]
    wrong = "tools: [{name: W, parameters: 3}]"
    assert messages(wrong) == ["tools.1.parameters is the number `3`, and a JSON Schema is needed"]
    wrong = "tools: [{name: W, trigger: 3}]"
    assert messages(wrong) == ["tools.1.trigger is the number `3`, and it can be `true` or `false`"]
    wrong = "memory: [{kind: fat, text: x}]"
    known = "`fact` or `summary` or `content`"
    assert messages(wrong) == [f"memory.1.kind is the text `fat`, and it can be {known}"]
    assert messages("memory: [{key: x}]") == ["memory.1 has no `text`"]
    assert messages("env: {a: {$attachment: {name: x}}}") == ["env.a.$attachment has no `type`"]
    wrong = "env: {a: {$attachment: {type: file, data: words!}}}"
    assert messages(wrong) == ["env.a.$attachment.data is not base64"]
