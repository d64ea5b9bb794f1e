"""What a format cannot hold is told with its place, and nothing of it goes missing in silence."""

import re

import pytest

from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Json,
    Memory,
    Message,
    Opaque,
    Output,
    Part,
    Prompt,
    Role,
    Text,
    Thinking,
    Tool,
)
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES
from wire.samples import PIXEL, THOUGHTFUL

CHATS = ["openai", "anthropic", "gemini"]


def said(role: Role, *parts: Part) -> Message:
    """A message."""
    return Message(role, parts)


def told(name: str, *messages: Message) -> dict[str, str]:
    """Places and sentences of what is lost of messages, but for what a request needs beside them."""
    losses = WIRES[name].write(Prompt(messages), "m").losses
    return {loss.path: loss.sentence for loss in losses if loss.path and "thoughtSignature" not in loss.sentence}


def body(name: str, *messages: Message) -> dict[str, Json]:
    """What is written for messages."""
    return WIRES[name].write(Prompt(messages), "m").request


HI = said("user", Text("hi"))
ASK = said("assistant", Call("search", {"q": "x"}, "a"))
ANSWER = said("tool", Output((Text("found"),), "a"))


def at(value: Json, *keys: str | int) -> Json:
    """What stands in a body under keys and numbers."""
    for key in keys:
        value = value[key]  # type: ignore[index]
    return value


@pytest.mark.parametrize("name", PROVIDERS)
def test_no_role(name: str) -> None:
    """Text without a role becomes a message of the user."""
    assert told(name, said("none", Text("once"))) == {"messages[0]": "text without a role is sent as a user message"}
    assert body(name, said("none", Text("once"))) == body(name, said("user", Text("once")))


@pytest.mark.parametrize("name", PROVIDERS)
def test_result_without_call(name: str) -> None:
    """A result that answers nothing is not dropped: it is sent as text."""
    lone = said("tool", Output((Text("a < b"),), "zz", "search", is_error=True))
    assert "`zz`" in told(name, HI, lone)["messages[1].parts[0]"]
    assert '<tool_output id="zz" name="search" status="error">a &lt; b</tool_output>' in str(body(name, HI, lone))


@pytest.mark.parametrize("name", PROVIDERS)
def test_call_without_result(name: str) -> None:
    """No call may wait, also not at the end of a request."""
    assert "no result, and the request ends" in told(name, HI, ASK)["messages[1].parts[0]"]
    assert "no result, and messages follow" in told(name, HI, ASK, HI)["messages[1].parts[0]"]


@pytest.mark.parametrize("name", PROVIDERS)
def test_result_without_id_leaves_named_calls(name: str) -> None:
    """A call that a later result names is not answered by one before it that names none."""
    calls = said("assistant", Call("a", {}, "c1"), Call("a", {}, "c2"), Call("b", {}, "c3"))
    answers = [
        said("tool", Output((Text("second"),))),
        said("tool", Output((Text("first"),), "c1")),
        said("tool", Output((Text("third"),))),
    ]
    assert told(name, HI, calls, *answers) == {}
    read = WIRES[name].read(body(name, HI, calls, *answers)).prompt
    outputs = [part for message in read.messages for part in message.parts if isinstance(part, Output)]
    assert sorted((each.call_id, each.parts) for each in outputs) == [
        ("c1", (Text("first"),)),
        ("c2", (Text("second"),)),
        ("c3", (Text("third"),)),
    ]


@pytest.mark.parametrize("name", PROVIDERS)
def test_names_of_called_tools(name: str) -> None:
    """A tool without a declaration whose name is refused is told, and called by one name that is accepted."""
    used = ["search the web", "search_the_web", "é" * 80, "", "9"]
    ids = [f"c{number}" for number in range(len(used))]
    calls = said("assistant", *(Call(tool, {}, call_id) for tool, call_id in zip(used, ids, strict=True)))
    answers = [said("tool", Output((Text("x"),), call_id, tool)) for tool, call_id in zip(used, ids, strict=True)]
    found = told(name, HI, calls, *answers)
    assert "`search the web` as a tool name: it is sent as `search_the_web_2`" in found["messages[1].parts[0]"]
    assert "messages[1].parts[1]" not in found
    read = WIRES[name].read(body(name, HI, calls, *answers)).prompt
    sent = [part.tool for message in read.messages for part in message.parts if isinstance(part, Call)]
    assert len(set(sent)) == len(used)
    assert sent[1] == "search_the_web"
    assert all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", tool) for tool in sent)
    assert all(re.match("[a-zA-Z_]", tool) for tool in sent if name == "gemini")
    outputs = [part.tool for message in read.messages for part in message.parts if isinstance(part, Output)]
    assert outputs == sent


def test_begin_and_end() -> None:
    """What a conversation may not begin and end with is told at its place."""
    system, answer = said("system", Text("s")), said("assistant", Text("well "))
    assert "user message first" in told("gemini", system, answer)["messages[1]"]
    assert "user message first" in told("anthropic", system, answer, HI)["messages[1]"]
    assert told("gemini", system, HI, answer) == {
        "messages[2]": "the request ends with a message of the model, and the provider rejects that"
    }
    assert told("anthropic", HI, answer, HI) == told("gemini", HI, answer, HI) == {}


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        ("claude-3-5-sonnet-20241022", None),
        ("claude-sonnet-4-20250514", None),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", None),
        ("claude-opus-4-6", "`claude-opus-4-6` rejects that"),
        ("anthropic/claude-sonnet-4.6", "`anthropic/claude-sonnet-4.6` rejects that"),
        ("claude-opus-5", "`claude-opus-5` rejects that"),
        ("m", "models from Claude 4.6 on reject that"),
        (None, "models from Claude 4.6 on reject that"),
    ],
)
def test_beginning_of_an_answer(model: str | None, sentence: str | None) -> None:
    """Newer models do not continue an answer; older ones do, unless it ends with white space."""

    def last(text: str) -> list[str]:
        losses = WIRES["anthropic"].write(Prompt((HI, said("assistant", Text(text)))), model).losses
        return [loss.sentence for loss in losses if loss.path == "messages[1]"]

    ending = "the request ends with an assistant message, and "
    assert last("well") == ([] if sentence is None else [ending + sentence])
    assert last("well ") == [ending + (sentence or "the provider rejects white space at its end")]


def test_calls_at_the_end_are_no_beginning() -> None:
    """A call that waits is reported once, not also as the end of a request."""
    for name in ("anthropic", "gemini"):
        assert "ends with" not in str(told(name, HI, ASK))


def test_system_text_between_messages() -> None:
    """Claude Opus 4.8 and newer take it right behind a user message; others get it as text of the user."""
    late = said("system", Text("Be terse."))

    def sent(model: str, *messages: Message) -> list[tuple[Json, Json]]:
        written = WIRES["anthropic"].write(Prompt(messages), model)
        listed = written.request["messages"]
        assert isinstance(listed, list)
        is_told = any("`<system>` tags" in loss.sentence for loss in written.losses)
        assert is_told == ("<system>" in str(listed))
        again = WIRES["anthropic"].read(written.body)
        if not is_told:
            assert [each.role for each in again.prompt.messages] == [each.role for each in messages]
            assert WIRES["anthropic"].write(again.prompt, model).body == written.body
        return [(each["role"], each["content"]) for each in listed]  # type: ignore[index, call-overload]

    own, tagged = ("system", "Be terse."), ("user", "<system>Be terse.</system>")
    assert sent("claude-opus-4-8", HI, late) == [("user", "hi"), own]
    assert sent("claude-opus-5", HI, late, said("assistant", Text("ok")), HI)[1] == own
    assert sent("claude-opus-4-8", HI, ASK, ANSWER, late)[3] == own
    assert sent("claude-opus-4-7", HI, late)[1] == sent("claude-sonnet-4-6", HI, late)[1] == tagged
    assert sent("claude-opus-4-8", HI, late, HI)[1] == tagged
    assert sent("claude-opus-4-8", HI, said("assistant", Text("ok")), late, HI)[2] == tagged


def test_system_text_of_the_provider_stays() -> None:
    """What was read from between messages goes back there, for any model."""
    for model in ("claude-opus-4-8", "claude-x"):
        late: Json = {"role": "system", "content": "Be terse."}
        sent: dict[str, Json] = {"model": model, "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}, late]}
        read = WIRES["anthropic"].read(sent)
        assert read.problems == ()
        assert WIRES["anthropic"].write(read.prompt, model).body == sent


@pytest.mark.parametrize("name", CHATS)
def test_several_answers_with_calls(name: str) -> None:
    """Calls of several messages in a row: Anthropic takes these as one, others get one."""
    calls = [said("assistant", Text("so"), Call("f", {}, "a")), said("assistant", Call("g", {}, "b"))]
    results = [said("tool", Output((Text("1"),), "a", "f")), said("tool", Output((Text("2"),), "b", "g"))]
    found = told(name, HI, *calls, *results)
    read = WIRES[name].read(body(name, HI, *calls, *results))
    assert read.problems == ()
    if name == "anthropic":
        assert found == {}
        assert read.prompt.messages == (HI, *calls, *results)
    else:
        assert found == {
            "messages[2]": "the message is joined with the one before it, since results have to be right after their "
            "calls"
        }
        assert read.prompt.messages == (HI, said("assistant", *calls[0].parts, *calls[1].parts), *results)


@pytest.mark.parametrize("name", CHATS)
def test_late_results_are_moved(name: str) -> None:
    """Where results do not stand behind all calls, each is moved behind its own."""
    calls = [said("assistant", Call("f", {}, "a")), said("assistant", Text("so"))]
    found = told(name, HI, *calls, HI, said("tool", Output((Text("1"),), "a", "f")))
    assert "moved right after its call" in found["messages[4]"]


def test_empty_text_to_gemini() -> None:
    """Gemini rejects a text of no letters; one with a signature is its own, and white space is text."""
    sentence = "an empty text is not sent: the provider rejects it"
    assert told("gemini", said("system", Text("")), HI) == {"messages[0].parts[0]": sentence}
    assert "systemInstruction" not in body("gemini", said("system", Text("")), HI)
    assert told("gemini", said("user", Text(""), Text("b"))) == {"messages[0].parts[0]": sentence}
    assert (
        "the message has no parts and is not sent" in told("gemini", HI, said("assistant", Text("")), HI)["messages[1]"]
    )
    signed: Json = {"text": "", "thoughtSignature": "c2ln"}
    contents: Json = [{"role": "user", "parts": [{"text": " "}]}, {"role": "model", "parts": [signed]}]
    read = WIRES["gemini"].read({"contents": contents})
    assert WIRES["gemini"].write(read.prompt).request["contents"] == contents


@pytest.mark.parametrize("name", PROVIDERS)
def test_duplicate_ids(name: str) -> None:
    """Two calls of one id get ids of their own, and their results in order."""
    messages = (HI, said("assistant", Call("s", {}, "a"), Call("s", {}, "a")), ANSWER, ANSWER)
    assert "another call also has the id `a`" in told(name, *messages)["messages[1].parts[1]"]
    read = WIRES[name].read(body(name, *messages))
    assert read.problems == ()
    parts = [part for message in read.prompt.messages for part in message.parts]
    assert [part.id for part in parts if isinstance(part, Call)] == ["a", "call_1"]
    assert [part.call_id for part in parts if isinstance(part, Output)] == ["a", "call_1"]


def test_made_up_ids() -> None:
    """Calls without ids get some that no call has; their results belong to them by tool, then by order."""
    messages = (
        HI,
        said("assistant", Call("s", {"n": 1}), Call("t", {}), Call("s", {"n": 2}, "call_1")),
        said("tool", Output((Text("of t"),), tool="t")),
        said("tool", Text("of the first"), Attachment("image", mime="image/png", data=PIXEL)),
        said("tool", Output((Text("of the last"),), "call_1")),
    )
    assert told("anthropic", *messages) == {}
    results = WIRES["anthropic"].read(body("anthropic", *messages)).prompt.messages[2:]
    outputs = [part for message in results for part in message.parts if isinstance(part, Output)]
    assert [(each.call_id, each.tool, each.parts[0]) for each in outputs] == [
        ("call_3", "t", Text("of t")),
        ("call_2", "s", Text("of the first")),
        ("call_1", "s", Text("of the last")),
    ]


def test_gemini_needs_no_ids() -> None:
    """Gemini pairs by name and order, so that no ids are made up."""
    messages = (HI, said("assistant", Call("s", {}), Call("s", {})), said("tool", Text("1")), said("tool", Text("2")))
    assert "id" not in str(body("gemini", *messages)["contents"])
    assert WIRES["gemini"].read(body("gemini", *messages)).problems == ()


@pytest.mark.parametrize("name", CHATS)
def test_results_are_moved(name: str) -> None:
    """Results stand behind their calls."""
    late = (HI, ASK, said("user", Text("and?")), ANSWER)
    assert "moved" in told(name, *late)["messages[3]"]
    assert body(name, *late) == body(name, HI, ASK, ANSWER, said("user", Text("and?")))


def test_responses_keeps_the_order() -> None:
    """Items of Responses may stand in any order."""
    late = (HI, ASK, said("user", Text("and?")), ANSWER)
    assert told("responses", *late) == {}
    assert at(body("responses", *late), "input", 3, "type") == "function_call_output"


@pytest.mark.parametrize("name", PROVIDERS)
def test_result_in_a_message_of_the_assistant(name: str) -> None:
    """Its role is lost; it becomes a message of the tool."""
    one = said("assistant", Text("look"), Call("s", {}, "a"), Output((Text("x"),), "a"), Text("so"))
    assert "sent as a message of `tool`" in told(name, HI, one)["messages[1].parts[2]"]
    split = (said("assistant", Text("look"), Call("s", {}, "a")), said("tool", Output((Text("x"),), "a")))
    assert body(name, HI, one) == body(name, HI, *split, said("assistant", Text("so")))


def test_thinking() -> None:
    """What a model thought goes to its own provider, with its signature; others never get the signature."""
    anthropic = WIRES["anthropic"].write(THOUGHTFUL, "m")
    assert [loss.path for loss in anthropic.losses] == [""]
    block: Json = {"type": "thinking", "thinking": "Add them.", "signature": "c2lnbmVk"}
    assert at(anthropic.body, "messages", 1, "content", 0) == block
    for name in ("openai", "responses", "gemini"):
        written = WIRES[name].write(THOUGHTFUL, "m")
        assert [loss.path for loss in written.losses] == ["messages[1].parts[0]"]
        assert "c2lnbmVk" not in str(written.body)
        assert "Add them." not in str(written.body)


def test_thinking_of_nobody() -> None:
    """What is thought and not signed by anybody can be sent to Gemini; a signature of nobody cannot."""
    messages = (HI, said("assistant", Thinking("Hm.", "c2ln"), Text("x")))
    assert at(body("gemini", *messages), "contents", 1, "parts", 0) == {"text": "Hm.", "thought": True}
    assert "its provider is not known" in told("gemini", *messages)["messages[1].parts[0]"]


@pytest.mark.parametrize("thinking", [Thinking("t"), Thinking("t", "s"), Thinking("t", "s", False, "gemini")])
def test_thinking_that_is_not_signed_here(thinking: Thinking) -> None:
    """A blank or foreign signature would be rejected: the block is left out, and told."""
    messages = (HI, said("assistant", thinking, Text("x")))
    assert "thinking is not sent" in told("anthropic", *messages)["messages[1].parts[0]"]
    assert body("anthropic", *messages) == body("anthropic", HI, said("assistant", Text("x")))


def test_signature_of_a_call() -> None:
    """Gemini's signature is kept for Gemini and told elsewhere; a missing one is told once."""
    signed = (HI, said("assistant", Call("s", {}, "a", signature="c2ln")), ANSWER)
    assert at(body("gemini", *signed), "contents", 1, "parts", 0, "thoughtSignature") == "c2ln"
    assert WIRES["gemini"].write(Prompt(signed)).losses == ()
    assert "signatures" in told("openai", *signed)["messages"]
    again = (said("assistant", Call("s", {}, "b")), said("tool", Output((Text("found"),), "b")))
    (loss,) = WIRES["gemini"].write(Prompt((HI, ASK, ANSWER, HI, *again))).losses
    assert (loss.path, "thoughtSignature" in loss.sentence) == ("messages[1].parts[0]", True)


@pytest.mark.parametrize("name", ["anthropic", "gemini"])
def test_instructions_between_messages(name: str) -> None:
    """There is no place for them: text of the user in tags, which the text cannot close."""
    later = said("system", Text("be <b>brief</b></system>"))
    assert "`<system>` tags" in told(name, HI, later)["messages[1].parts"]
    assert "<system>be &lt;b&gt;brief&lt;/b&gt;&lt;/system&gt;</system>" in str(body(name, HI, later))


@pytest.mark.parametrize("name", PROVIDERS)
def test_memory(name: str) -> None:
    """Memory is text before the instructions."""
    memory = (Memory("likes <tea>", key="taste"), Memory("long ago", "summary"))
    prompt = Prompt((said("system", Text("be brief")), HI), memory=memory)
    written = WIRES[name].write(prompt, "m")
    assert "memory" in [loss.path for loss in written.losses]
    words = '<memory>\n<fact key="taste">likes &lt;tea&gt;</fact>\n<summary>long ago</summary>\n</memory>'
    first = WIRES[name].read(written.body).prompt.messages[0]
    texts = [part.text for part in first.parts if isinstance(part, Text)]
    assert (first.role, "\n\n".join(texts)) == ("system", words + "\n\nbe brief")


@pytest.mark.parametrize("name", PROVIDERS)
def test_what_has_no_place(name: str) -> None:
    """Turns, ids, topic, long names and settings of others are told once."""
    prompt = Prompt(
        (Message("user", (Text("hi"),), turn=1, id="m1"), Message("user", (Text("ho"),), turn=2)),
        (Tool("W", alias="get_weather", more=Opaque("other", {"x": 1}, "more")),),
        id="c1",
        topic="weather",
        settings=(Opaque("other", {"temperature": 0}),),
    )
    sentences = " | ".join(loss.sentence for loss in WIRES[name].write(prompt, "m").losses)
    for words in ("turn numbers", "topic", "get_weather", "settings of `other` are not sent: `temperature`", "id"):
        assert words in sentences
    assert sentences.count("turn numbers") == 1


@pytest.mark.parametrize("name", PROVIDERS)
def test_files(name: str) -> None:
    """A file of text is sent; where only as text, its name stands in the tags and is told."""
    file = Attachment("table", "a.csv", "data/a.csv", text="a<b\n1")
    assert "messages[0].parts[0]" in told(name, said("user", file))
    assert '<attachment type="table" name="a.csv" path="data/a.csv">a&lt;b\n1</attachment>'.replace("\n", "\\n") in str(
        body(name, said("user", file))
    )


@pytest.mark.parametrize("name", ["openai", "anthropic", "responses"])
def test_image_where_there_is_no_place(name: str) -> None:
    """An image of the assistant is told, and its description is sent."""
    image = Attachment("image", "cat.png", data=PIXEL)
    assert "only its description" in told(name, HI, said("assistant", image))["messages[1].parts[0]"]
    assert "cat.png" in str(body(name, HI, said("assistant", image)))
    assert PIXEL not in str(body(name, HI, said("assistant", image)))


def test_image_of_a_tool() -> None:
    """Chat Completions has no images in results, the others have."""
    image = said("tool", Output((Text("see"), Attachment("image", mime="image/png", data=PIXEL)), "a"))
    assert list(told("openai", HI, ASK, image)) == ["messages[2].parts[0].parts[1]"]
    for name in ("responses", "anthropic", "gemini"):
        assert told(name, HI, ASK, image) == {}
        (output,) = WIRES[name].read(body(name, HI, ASK, image)).prompt.messages[2].parts
        assert isinstance(output, Output)
        assert output.parts == image.parts[0].parts  # type: ignore[union-attr]


def test_arguments_that_are_no_json() -> None:
    """Chat Completions keeps them as they are spelled; where they are an object it is told."""
    broken = (HI, said("assistant", Call("s", {}, "a", args_raw='{"q": "x"')), ANSWER)
    assert '{"q": "x"' in str(body("openai", *broken))
    assert told("openai", *broken) == {}
    assert "not JSON" in told("anthropic", *broken)["messages[1].parts[0]"]
    assert "not JSON" in told("gemini", *broken)["messages[1].parts[0]"]


def test_anthropic_wants() -> None:
    """What Anthropic rejects is told before it is sent."""
    written = WIRES["anthropic"].write(Prompt((said("assistant", Text(" ")), said("assistant", Text("x")))))
    sentences = [loss.sentence for loss in written.losses]
    assert sentences == [
        "the request needs a model name, and none is given",
        "the request needs `max_tokens`: 4096 is filled in",
        "a blank text is not sent: the provider rejects it",
        "the message has no content and is not sent: the provider rejects it",
        "the provider requires a user message first",
    ]
    assert written.body == {"max_tokens": 4096, "messages": [{"role": "assistant", "content": "x"}]}


def test_responses_merges() -> None:
    """Where a message of the assistant begins cannot be said before a call."""
    merged = (HI, said("assistant", Text("x")), said("assistant", Call("s", {}, "a")))
    assert "part of the message before" in told("responses", *merged)["messages[2].parts[0]"]
    split = (HI, said("assistant", Call("s", {}, "a"), Text("x")))
    assert "another message" in told("responses", *split)["messages[1].parts[1]"]


def test_names() -> None:
    """Only Chat Completions has the name of who speaks."""
    named = Message("user", (Text("hi"),), "anna")
    assert WIRES["openai"].read(body("openai", named)).prompt.messages == (named,)
    for name in ("responses", "anthropic", "gemini"):
        assert "`anna`" in told(name, named)["messages[0]"]


def test_names_of_tools() -> None:
    """A name that providers reject is told."""
    losses = WIRES["openai"].write(Prompt((HI,), (Tool("get weather"),)), "m").losses
    assert [(loss.path, "`get weather`" in loss.sentence) for loss in losses] == [("tools[0]", True)]


@pytest.mark.parametrize("name", PROVIDERS)
def test_nothing_is_left(name: str) -> None:
    """A message of which nothing can be sent is told, not sent as an empty one."""
    foreign = Opaque("other", {"type": "search"})
    for message in (said("none", foreign), said("user", foreign), said("assistant", foreign)):
        assert "only `other` understands" in told(name, HI, message)["messages[1].parts[0]"]
        assert body(name, HI, message) == body(name, HI)
    redacted = said("assistant", Thinking("x", None, True, "other"))
    assert "messages[1].parts[0]" in told(name, HI, redacted)
    assert body(name, HI, redacted) == body(name, HI)


def test_kind_of_data() -> None:
    """What data are is seen from how they begin; where it is not, it is told."""
    image = Attachment("image", data=PIXEL)
    assert told("openai", said("user", image)) == {}
    assert "data:image/png;" in str(body("openai", said("user", image)))
    assert "not known" in told("openai", said("user", Attachment("image", data="AAAA")))["messages[0].parts[0]"]
