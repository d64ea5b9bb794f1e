"""What a request says beyond what is known, or leaves out of it: none of that passes for agreement."""

import json
from dataclasses import replace
from html import escape

import pytest

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.parse import Parsed, parse
from acdl_mkdocs.prompts.prompt import Attachment, Call, Message, Output, Part, Prompt, Text, Thinking
from acdl_mkdocs.runs.match.mutants import score_mutants
from acdl_mkdocs.runs.read.recorded import Origin, Recorded
from traces.sent import checked, request, spec, verdicts

FORMATS = ["openai", "responses", "anthropic", "gemini"]
CHAT = """P[@T]: {
    S: RULES
    U: env.doc[@1]
    U: env.q[@1]
    A: resp.a[@1]
    U: GO
}"""
STATE = """acdl_state: 1
templates: {RULES: be kind, GO: go on}
env: {doc: {1: the text}, q: {1: what is it}}
resp: {a: {1: a text}}
"""
HONEST = ("S: be kind", "U: the text", "U: what is it", "A: a text", "U: go on")
MERGED = ("S: be kind", "U: the text | what is it", "A: a text", "U: go on")


def refuted(text: str, *run: Recorded, state: str | None = None) -> list[int]:
    """The lines that are wrong."""
    return [line.line for line in checked(text, *run, state=state).list_lines("refuted")]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(("number", "line"), [(0, 2), (1, 3), (2, 4), (3, 5), (4, 6)])
@pytest.mark.parametrize("is_before", [False, True])
def test_text_beside_what_a_state_knows(format: str, number: int, line: int, *, is_before: bool) -> None:
    """It is refuted at its line, also where a provider makes one message of neighbours."""
    assert refuted(CHAT, request("1", *HONEST, format=format), state=STATE) == []
    letter, words = HONEST[number].split(": ")
    other = f"{letter}: delete all | {words}" if is_before else f"{letter}: {words} | delete all"
    sent = (*HONEST[:number], other, *HONEST[number + 1 :])
    assert refuted(CHAT, request("1", *sent, format=format), state=STATE) == [line]


@pytest.mark.parametrize("format", ["anthropic", "gemini"])
def test_messages_that_are_one_there(format: str) -> None:
    """Both are confirmed where both are known; what is left out, added or in another order is not."""
    found = verdicts(CHAT, request("1", *MERGED, format=format), state=STATE)
    assert found == dict.fromkeys(range(2, 7), "confirmed")
    for words in ("the text", "what is it", "the text | so | what is it", "what is it | the text", "the text | what"):
        assert refuted(CHAT, request("1", MERGED[0], f"U: {words}", *MERGED[2:], format=format), state=STATE), words


@pytest.mark.parametrize("format", ["responses", "anthropic", "gemini"])
def test_instructions_that_are_left_out(format: str) -> None:
    """Nothing is left for them; where nothing is known of two, nothing shows that both are sent."""
    text = 'P[@T]: {\n    S: "You are A."\n    U: env.q[@T]\n    S: RULES\n}'
    sent = [request(str(number), "S: You are A.", f"U: q{number}", format=format) for number in (1, 2)]
    assert refuted(text, *sent) == [4]
    both = [request(str(number), "S: You are A. | Be B.", f"U: q{number}", format=format) for number in (1, 2)]
    assert verdicts(text, *both) == {2: "confirmed", 3: "confirmed", 4: "confirmed"}
    unknown = text.replace('"You are A."', "INTRO")
    assert verdicts(unknown, *sent) == {2: "uncontrollable", 3: "confirmed", 4: "uncontrollable"}
    assert refuted(text.replace("RULES", '"You are A."'), *sent) == [4]


@pytest.mark.parametrize("format", ["anthropic", "gemini"])
def test_instructions_between_messages_in_tags(format: str) -> None:
    """The tags are the provider's words for the role."""
    text = 'P[@T]: {\n    S: "I"\n    U: "q"\n    S: "a < b"\n    U: "go"\n}'
    sent = request("1", "S: I", "U: q | <system>a &lt; b</system> | go", format=format)
    assert verdicts(text, sent) == dict.fromkeys((2, 3, 4, 5), "confirmed")
    other = request("1", "S: I", "U: q | <system>a &lt; b or c</system> | go", format=format)
    assert refuted(text, other) != []


@pytest.mark.parametrize("format", ["anthropic", "gemini"])
@pytest.mark.parametrize("words", ["<b>&amp;</b>", "&lt;system&gt; & <system>x</system>", "&amp;amp; &quot;"])
def test_what_looks_escaped_in_instructions_and_beside_them(format: str, words: str) -> None:
    """Instructions are escaped in their tags, and what a user says beside them is not: both agree with the spec."""
    quoted = json.dumps(words)
    text = f'P[@T]: {{\n    S: "I"\n    U: {quoted}\n    S: {quoted}\n    U: "go"\n}}'
    in_tags = f"<system>{escape(words, quote=False)}</system>"
    for user in (f"U: {words} | {in_tags} | go", f"U: {words}{in_tags}go"):
        assert verdicts(text, request("1", "S: I", user, format=format)) == dict.fromkeys((2, 3, 4, 5), "confirmed")
    wrong = request("1", "S: I", f"U: {words} | <system>{words.replace('&', '')}</system> | go", format=format)
    assert refuted(text, wrong) != []


def test_the_beginning_and_the_end_of_a_message() -> None:
    """Are what the spec says, where it says what stands there."""
    text = 'P[@T]: {\n    U: {\n        "Question:"\n        env.q[@T]\n        "Answer now."\n    }\n}'
    assert refuted(text, request("1", "U: Question: what? Answer now.")) == []
    assert refuted(text, request("1", "U: Secret. Question: what? Answer now.")) == [3]
    assert refuted(text, request("1", "U: Question: what? Answer now. Or not.")) == [5]
    assert refuted(text, request("1", "U: Answer now. what? Question:")) != []


IMAGE = Attachment("image", data="AAAA", mime="image/png")
WITH_IMAGE = """acdl_state: 1
env:
  q: {1: look}
  pic: {1: {$image: a.png}}
"""


def shown(*parts: Part, at: int = 1) -> Recorded:
    """A request with one message."""
    message = Message("user", parts)
    request_at = request(str(at), "U: x")
    return replace(request_at, request=Prompt((message,)), origin=Origin("run.jsonl", at))


def test_attachments_are_compared() -> None:
    """One more, and another one than the state knows."""
    text = "P[@T]: {\n    U: env.q[@1]\n}"
    assert refuted(text, shown(Text("look")), state=WITH_IMAGE) == []
    found = checked(text, shown(Text("look"), IMAGE), state=WITH_IMAGE).list_lines("refuted")
    assert [line.reason for line in found] == ["the message has 1 attachment instead of 0"]
    text = "P[@T]: {\n    U: env.pic[@1]\n}"
    assert refuted(text, shown(IMAGE), state=WITH_IMAGE) == []
    assert refuted(text, shown(Attachment("image", href="https://example.com/a.png")), state=WITH_IMAGE) == []
    assert refuted(text, shown(Attachment("image", href="https://example.com/b.png")), state=WITH_IMAGE) == [2]
    assert refuted(text, shown(replace(IMAGE, type="audio")), state=WITH_IMAGE) == [2]


def test_attachments_are_the_same_in_all_requests() -> None:
    """What has one name is the same picture."""
    text = "P[@T]: {\n    U: env.q[@1]\n}"
    other = replace(IMAGE, data="BBBB")
    assert refuted(text, shown(Text("a"), IMAGE), shown(Text("a"), IMAGE, at=2)) == []
    found = checked(text, shown(Text("a"), IMAGE), shown(Text("a"), other, at=2)).list_lines("refuted")
    assert [line.reason for line in found] == [
        "`env.q[@1]` has one attachment in run.jsonl:1, messages[0], and another here"
    ]


def shown_by_tool(*parts: Text | Attachment, at: int = 1) -> Recorded:
    """A request with a result."""
    messages = (Message("assistant", (Call("look", {}, "c"),)), Message("tool", (Output(parts, "c"),)))
    return replace(shown(at=at), request=Prompt(messages))


def test_attachments_of_results_are_compared() -> None:
    """A tool shows the picture that the state knows, and the same one in all requests."""
    text = "P[@T]: {\n    A: resp.call[@1]\n    T: sys.result[@1]\n}"
    state = "acdl_state: 1\nsys: {result: {1: {$result: {content: [done, {$image: a.png}]}}}}\n"
    other = replace(IMAGE, data="BBBB")
    known = replace(IMAGE, data=None, href="https://example.com/a.png")
    assert refuted(text, shown_by_tool(Text("done"), known), state=state) == []
    for parts in ((Text("done"),), (Text("done"), replace(known, href="b.png")), (Text("done"), known, IMAGE)):
        assert refuted(text, shown_by_tool(*parts), state=state) == [3], parts
    assert refuted(text, shown_by_tool(IMAGE), shown_by_tool(IMAGE, at=2)) == []
    found = checked(text, shown_by_tool(IMAGE), shown_by_tool(other, at=2)).list_lines("refuted")
    assert [line.reason for line in found] == [
        "`sys.result[@1]` has one attachment in run.jsonl:1, messages[1], and another here"
    ]


THOUGHTS = """// acdl: range=inclusive
Agent[@T.I]: {
    U: env.q[@1]
    ForEach(i: range(1, @1.substeps)) {
        A: {
            resp.thinking[@1.i]
            sys.calls[@1.i]
        }
        T: sys.results[@1.i]
    }
}"""


def thinking(number: int, *thoughts: str, n_calls: int = 1) -> Recorded:
    """A request after as many rounds as there are thoughts; an empty one was left out."""
    messages = [Message("user", (Text("q"),))]
    for idx, thought in enumerate(thoughts):
        calls = [Call("look", {"at": f"{idx}.{call}"}) for call in range(n_calls)]
        messages.append(Message("assistant", (*((Thinking(thought),) if thought else ()), *calls)))
        messages += [Message("tool", (Output((Text("found"),)),)) for _ in calls]
    at = request(f"1.{len(thoughts)}", "U: q", format="anthropic")
    return replace(at, request=Prompt(tuple(messages)), origin=Origin("run.jsonl", number))


def test_thoughts_are_the_same_in_all_requests() -> None:
    """Later ones neither change nor leave out what a model thought."""
    assert refuted(THOUGHTS, thinking(1, "one"), thinking(2, "one", "two")) == []
    (line,) = checked(THOUGHTS, thinking(1, "one"), thinking(2, "other", "two")).list_lines("refuted")
    assert (line.line, line.reason) == (
        5,
        "`resp.thinking[@1.1] sys.calls[@1.1]` has the thought `one` in run.jsonl:1, messages[1], and the thought"
        " `other` here",
    )
    assert refuted(THOUGHTS, thinking(1, "one", n_calls=2), thinking(2, "", "two", n_calls=2)) == [5]


def test_several_calls_are_not_a_thought_and_a_call() -> None:
    """Whether the thought is there is not known then."""
    found = verdicts(THOUGHTS, thinking(1, "", n_calls=2), thinking(2, "", "", n_calls=2))
    assert (found[5], found[6], found[7]) == ("confirmed", "uncontrollable", "uncontrollable")
    found = verdicts(THOUGHTS, thinking(1, "one", n_calls=2), thinking(2, "one", "two", n_calls=2))
    assert (found[5], found[6], found[7]) == ("confirmed", "confirmed", "confirmed")


def test_messages_without_anything() -> None:
    """They may be what the spec sends, and may be nothing; what is known is not in them."""
    chat = "P[@T]: {\n    U: env.q[@1]\n    A: resp.a[@1]\n    U: env.q[@2]\n}"
    assert refuted(chat, request("1", "U: q", "A: ", "U: r")) == []
    assert refuted(chat, request("1", "U: q", "A: a", "A: ", "U: r")) == []
    assert refuted(chat, request("1", "U: q", "A: ", "U: r"), state="acdl_state: 1\nresp: {a: {1: yes}}") == [3]


def test_letters_that_are_written_in_two_ways() -> None:
    """Are the same letters."""
    sent = request("1", "U: cafe\N{COMBINING ACUTE ACCENT}")
    assert refuted('P[@T]: {\n    U: "caf\N{LATIN SMALL LETTER E WITH ACUTE}"\n}', sent) == []


def test_instructions_at_the_end() -> None:
    """Only their line is wrong."""
    (line,) = checked(CHAT, request("1", *HONEST[1:], HONEST[0])).list_lines("refuted")
    assert line.line == 2
    assert line.reason == "the spec sends a System message here, and the request has it in another position"
    assert line.counterexample is not None
    assert line.counterexample.path == "messages[4]"


def test_only_changes_that_are_tried_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spec of any length does not take longer for that."""
    n_parsed = 0

    def counted(source: Source) -> Parsed:
        nonlocal n_parsed
        n_parsed += 1
        return parse(source)

    monkeypatch.setattr("acdl_mkdocs.runs.match.mutants.parse", counted)
    text = "P[@T]: {\n" + "".join(f"    If env.f{number} {{ U: X{number} }}\n" for number in range(100)) + "}"
    found = score_mutants(spec(text), [[request("1", "U: x")]], most=5)
    assert (len(found.results), found.n_left_out, n_parsed) == (5, 295, 5)
