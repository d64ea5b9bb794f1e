"""Models behind a real HTTP server: what is sent, every way in which an answer can be wrong, retries, keys."""

import json
import logging
import os
import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from acdl_mkdocs.playbook.learn.models import UNREPORTED, Reply, Usage, chat_completions
from acdl_mkdocs.playbook.learn.models.chat_completions import ChatCompletions
from acdl_mkdocs.playbook.learn.models.endpoint import Patience
from acdl_mkdocs.playbook.learn.models.model import (
    CutReplyError,
    EmptyReplyError,
    FilteredReplyError,
    ModelError,
    ModelRefusalError,
    ModelSettingsError,
    NoConnectionError,
    NotJsonError,
    OverdueError,
    OversizedReplyError,
    StatusError,
    UnreadableReplyError,
)
from acdl_mkdocs.prompts.prompt import Json, Message, Prompt, Text
from models.loopback import Loopback, Request, Said, as_json, refused, said

KEY = "sk-test-0123456789abcdef"
PROMPT = Prompt((Message("system", (Text("Be brief."),)), Message("user", (Text("Hi?"),))))
SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
EVENTS = "text/event-stream"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key is there, and nothing else that the package would read."""
    for name in [name for name in os.environ if name.startswith("OPENAI_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        """What time it is."""
        return self.now_s

    def sleep(self, seconds: float) -> None:
        """Move on."""
        self.slept.append(seconds)
        self.now_s += seconds


def model_at(server: Loopback, clock: Clock | None = None, **patience: Any) -> ChatCompletions:
    """The model of a server, patient as said; it waits in no real time."""
    clock = clock or Clock()
    options = Patience(**{"attempt_s": 5.0, **patience})
    return ChatCompletions(
        "m-1", server.url, patience=options, clock=clock, now=lambda: 784_111_770.0, sleep=clock.sleep
    )


def failure(script: Sequence[Said], **patience: Any) -> ModelError:
    """How a model fails with a script of answers, all of which are asked for."""
    with Loopback(script) as server, pytest.raises(ModelError) as caught:
        model_at(server, **patience).complete(PROMPT)
    return caught.value


def test_what_is_sent() -> None:
    """The body is that of our wire format with what is asked of the answer, and the reply has the server's numbers."""
    with Loopback([said("Hello.", usage=(12, 3))]) as server:
        reply = model_at(server).complete(PROMPT, json_schema=SCHEMA, max_model_tokens=50, temperature=0.5, seed=7)
    assert reply == Reply("Hello.", Usage(12, 3), "served-1", "stop")
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "m-1",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi?"}],
        "max_tokens": 50,
        "temperature": 0.5,
        "seed": 7,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
        },
    }


def test_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that needs no key is sent none."""
    monkeypatch.delenv("OPENAI_API_KEY")
    with Loopback([said("x")]) as server:
        assert model_at(server).complete(PROMPT).text == "x"
    assert "authorization" not in server.requests[0].headers


def test_other_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable with the key has any name."""
    monkeypatch.setenv("OTHER_KEY", f" {KEY}-2\n")
    with Loopback([said("x")]) as server:
        ChatCompletions("m", server.url, key_name="OTHER_KEY").complete(PROMPT)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}-2"


def test_bad_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that cannot be sent is said to be wrong without being repeated."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a\nb")
    with Loopback([]) as server, pytest.raises(ModelSettingsError) as caught:
        model_at(server).complete(PROMPT)
    assert "sk-a" not in str(caught.value)
    assert "OPENAI_API_KEY" in str(caught.value)


def test_key_is_told_to_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """The key is in no message, log, representation or pickle, also where the server repeats it."""
    caplog.set_level(logging.DEBUG)
    answers = [
        refused(401, f"incorrect key {KEY}"),
        Said(f"<p>{KEY}</p>".encode(), content_type="text/html"),
        as_json({"error": f"key {KEY}"}),
    ]
    with Loopback(answers) as server:
        model = model_at(server)
        for _ in answers:
            with pytest.raises(ModelError) as caught:
                model.complete(PROMPT)
            assert KEY not in f"{caught.value} {caught.value!r} {vars(caught.value)}"
            assert "(key)" in str(caught.value)
    assert KEY not in repr(model)
    assert KEY.encode() not in pickle.dumps(ChatCompletions("m", server.url))
    assert KEY not in caplog.text
    assert KEY not in str(failure([Said(b"", 302, {"Location": f"http://localhost/{KEY}"})]))


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        pytest.param(as_json({"choices": []}), UnreadableReplyError, "no choices", id="no choices"),
        pytest.param(as_json({"id": 1}), UnreadableReplyError, "`id`", id="no key choices"),
        pytest.param(as_json({"choices": [{"index": 0}]}), UnreadableReplyError, "without a message", id="no message"),
        pytest.param(as_json({"choices": ["x"]}), UnreadableReplyError, "no choices", id="choice is text"),
        pytest.param(as_json([1]), UnreadableReplyError, "not an object: [1]", id="list"),
        pytest.param(said(None), EmptyReplyError, "null", id="null"),
        pytest.param(said(" \n"), EmptyReplyError, "empty", id="empty"),
        pytest.param(said(None, tool_calls=[{"id": "1"}]), EmptyReplyError, "called a tool", id="tool"),
        pytest.param(said("half of", "length"), CutReplyError, "cut after 5 model tokens", id="length"),
        pytest.param(said("x", "content_filter"), FilteredReplyError, "filter", id="filter"),
        pytest.param(said(None, refusal="I will not."), ModelRefusalError, "I will not.", id="refusal"),
        pytest.param(
            Said(b"<!DOCTYPE html><p>Hi</p>", content_type="text/html"), NotJsonError, "a web page", id="html"
        ),
        pytest.param(Said(b"OK", content_type="text/plain"), NotJsonError, "text instead of JSON: OK", id="text"),
        pytest.param(Said(b""), NotJsonError, "nothing", id="nothing"),
        pytest.param(Said(b"<html>", content_type="application/json"), NotJsonError, "a web page", id="html as json"),
        pytest.param(as_json({"error": {"message": "boo"}}), UnreadableReplyError, "error: boo", id="error object"),
        pytest.param(refused(400, "too long"), StatusError, "status 400: too long", id="400"),
        pytest.param(refused(401), StatusError, "OPENAI_API_KEY", id="401"),
        pytest.param(refused(404), StatusError, "`/v1`", id="404"),
        pytest.param(as_json({"detail": [{"msg": "odd"}]}, 422), StatusError, "odd", id="422 of another server"),
        pytest.param(Said(b"", 308, {"Location": "http://x.test/"}), StatusError, "http://x.test/", id="redirect"),
        pytest.param(Said(b"[" * 100_000), NoConnectionError, "damaged", id="deep"),
    ],
)  # fmt: skip
def test_faults(answer: Said, kind: type[ModelError], words: str) -> None:
    """Every answer without a usable reply is an error of its own kind that says what to do; none is asked for twice."""
    fault = failure([answer], max_attempts=1)
    assert type(fault) is kind
    assert words in str(fault)
    assert fault.help or fault.is_transient or kind is StatusError
    assert fault.message[0].islower()


QUOTA = "You exceeded your current quota, please check your plan and billing details."


@pytest.mark.parametrize(
    ("answer", "is_final"),
    [
        pytest.param(refused(401), True, id="401"),
        pytest.param(refused(403, "no rights to this model"), True, id="403"),
        pytest.param(refused(403, "Input was flagged by moderation"), False, id="one prompt was flagged"),
        pytest.param(refused(402), True, id="402"),
        pytest.param(as_json({"error": {"message": QUOTA, "code": "insufficient_quota"}}, 429), True, id="quota"),
        pytest.param(refused(400, "Your credit balance is too low to use this API"), True, id="credit balance"),
        pytest.param(
            as_json({"type": "error", "error": {"type": "billing_error", "message": "x"}}, 400), True, id="billing"
        ),
        pytest.param(refused(400, "You have reached your specified API usage limits."), True, id="usage limits"),
        pytest.param(as_json({"error": {"type": "usage_limit_reached", "message": "x"}}, 429), True, id="usage limit"),
        pytest.param(refused(429, "Your prepayment credits are depleted."), True, id="credits are depleted"),
        pytest.param(refused(429, "You have depleted your monthly included credits"), True, id="depleted credits"),
        pytest.param(as_json({"error": {"code": "Arrearage", "message": "x"}}, 400), True, id="arrearage"),
        pytest.param(as_json({"error": {"type": "exceeded_current_quota_error"}}, 429), True, id="current quota"),
        pytest.param(refused(429, "Quota exceeded for metric requests per minute"), False, id="a minute's quota"),
        pytest.param(refused(429, QUOTA, Retry_After="7"), False, id="a time to wait is named"),
        pytest.param(refused(429, f"{QUOTA} Please retry in 34s."), False, id="a time to wait in words"),
        pytest.param(refused(429, "Too many requests"), False, id="429"),
        pytest.param(as_json({"error": {"message": "x", "code": "insufficient_quota"}}), True, id="quota in a 200"),
        pytest.param(refused(500), False, id="500"),
    ],
)  # fmt: skip
def test_an_account_without_credit_is_not_asked_again(answer: Said, is_final: bool) -> None:
    """A wrong key, no rights and no quota end everything at once, without a retry; a limit that passes does not."""
    fault = failure([answer], max_attempts=5 if is_final else 1)
    assert fault.is_final == is_final
    assert not (fault.is_final and fault.is_transient)
    assert pickle.loads(pickle.dumps(fault)).is_final == is_final  # noqa: S301


def test_no_credit_is_said_with_its_cure() -> None:
    """The message says what to do, and that the same command resumes."""
    fault = failure([as_json({"error": {"message": QUOTA, "code": "insufficient_quota"}}, 429)])
    assert str(fault).endswith("add some, or use another server; then run the same command again")


def test_cut_reply_keeps_what_was_paid() -> None:
    """What a cut reply says and cost is in the error, also after it was sent between processes."""
    fault = pickle.loads(pickle.dumps(failure([said("half of", "length", usage=(7, 4))])))  # noqa: S301
    assert isinstance(fault, CutReplyError)
    assert (fault.text, fault.usage) == ("half of", Usage(7, 4))


def test_huge_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that is larger than any model's is not read to its end."""
    monkeypatch.setattr(chat_completions, "MAX_ANSWER_BYTES", 3_000_000)
    assert type(failure([Said(b" " * 4_000_000)])) is OversizedReplyError


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Said(said("x").body, drop_after=20), id="dropped in the body"),
        pytest.param(Said(said("x").body, drop_after=0), id="dropped before the body"),
        pytest.param(Said(b'{"choices": [{"mess'), id="truncated"),
        pytest.param(as_json({"error": {"message": "busy", "code": 503}}), id="error object with a status"),
        pytest.param(Said(b'data: {"choices":[{"delta":{"content":"he"}}]}\n\n', content_type=EVENTS), id="stream"),
        pytest.param(Said(b"data: {oops\n\n", content_type=EVENTS), id="damaged stream"),
        *[pytest.param(refused(status), id=str(status)) for status in (408, 409, 429, 500, 502, 503, 504, 529)],
    ],
)
def test_retried(answer: Said) -> None:
    """What may be better a moment later is tried again."""
    clock = Clock()
    with Loopback([answer, said("fine")]) as server:
        assert model_at(server, clock).complete(PROMPT).text == "fine"
    assert len(clock.slept) == 1
    assert server.requests[0].body == server.requests[1].body


def test_gives_up() -> None:
    """After the last attempt the last error is raised, and says how often was tried."""
    fault = failure([refused(503, "busy")] * 3, max_attempts=3)
    assert isinstance(fault, StatusError)
    assert str(fault).startswith("the server answered with status 503: busy (attempt 3 of 3)")


def test_nobody_listens() -> None:
    """A server that is not there is named."""
    with Loopback([]) as server:
        pass
    with pytest.raises(NoConnectionError, match=r"no whole answer from http://127.0.0.1:\d+/v1"):
        model_at(server, max_attempts=2).complete(PROMPT)


@pytest.mark.parametrize("answer", [Said(said("x").body, delay_s=60), Said(said("x").body, drip_s=0.1)])
def test_slow_server(answer: Said) -> None:
    """An attempt ends after its time, whether nothing comes or a little again and again: the answer is not awaited."""
    with Loopback([answer]) as server:
        model = ChatCompletions("m", server.url, patience=Patience(attempt_s=0.2, max_attempts=1))
        with pytest.raises(NoConnectionError):
            model.complete(PROMPT)


def test_waits_double_and_have_an_end() -> None:
    """Waits double up to the longest, with a jitter that the same request has every time."""
    slept = []
    for _ in range(2):
        clock = Clock()
        with Loopback([refused(500)] * 6) as server, pytest.raises(StatusError):
            model_at(server, clock, first_wait_s=1.0, longest_wait_s=5.0).complete(PROMPT)
        slept.append(clock.slept)
    assert slept[0] == slept[1]
    for wait_s, whole_s in zip(slept[0], (1, 2, 4, 5, 5), strict=True):
        assert whole_s / 2 <= wait_s <= whole_s
    assert len(set(slept[0])) == 5


@pytest.mark.parametrize(
    ("said_after", "wait_s"),
    [
        ("7", 7.0),
        ("0.25", 0.25),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 7.0),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0.0),
        ("86400", 30.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 30.0),
    ],
)
def test_retry_after(said_after: str, wait_s: float) -> None:
    """`Retry-After` is obeyed as seconds or a date, up to the longest wait."""
    clock = Clock()
    with Loopback([refused(429, Retry_After=said_after), said("x")]) as server:
        model_at(server, clock).complete(PROMPT)
    assert clock.slept == [wait_s]


@pytest.mark.parametrize("said_after", ["soon", "-5", "nan", "", "1e9", "Sun, 99 Nov"])
def test_odd_retry_after(said_after: str) -> None:
    """A `Retry-After` that means nothing is as none."""
    clock = Clock()
    with Loopback([refused(429, Retry_After=said_after), said("x")]) as server:
        model_at(server, clock, first_wait_s=1.0).complete(PROMPT)
    assert 0.5 <= clock.slept[0] <= 1.0


def test_deadline() -> None:
    """All attempts and waits together end at the deadline, and the last error is told."""
    clock = Clock()
    with Loopback([refused(429, "later", Retry_After="20")] * 3) as server, pytest.raises(OverdueError) as caught:
        model_at(server, clock, deadline_s=50.0).complete(PROMPT)
    assert "no answer in 50 s and 3 attempts; at last: the server answered with status 429: later" in str(caught.value)
    assert sum(clock.slept) < 50


def test_json_mode_falls_back() -> None:
    """A server that refuses a JSON schema is asked for any JSON, then for text; that is remembered and told."""
    refusals = [refused(400, "response_format is not supported"), refused(400, "json_object: unknown response_format")]
    with Loopback([*refusals, said("{}"), said("{}")]) as server:
        model = model_at(server)
        assert not model.notes
        model.complete(PROMPT, json_schema=SCHEMA)
        model.complete(PROMPT, json_schema=SCHEMA)
    sent = [request.body.get("response_format", {}).get("type") for request in server.requests]
    assert sent == ["json_schema", "json_object", None, None]
    assert model.notes == ("the server does not take a JSON schema: replies are asked for with `none`",)


def test_limit_falls_back() -> None:
    """A server that wants `max_completion_tokens` gets it, from then on."""
    complaint = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    with Loopback([refused(400, complaint), said("x"), said("x")]) as server:
        model = model_at(server)
        model.complete(PROMPT, max_model_tokens=9)
        model.complete(PROMPT, max_model_tokens=9)
    limits = [{key: value for key, value in each.body.items() if key.startswith("max")} for each in server.requests]
    assert limits == [{"max_tokens": 9}, {"max_completion_tokens": 9}, {"max_completion_tokens": 9}]


def test_a_limit_that_is_too_high_is_no_dialect() -> None:
    """A complaint about the size of the limit is told, not worked around."""
    with (
        Loopback([refused(400, "max_tokens is too large: 9")]) as server,
        pytest.raises(StatusError, match="too large"),
    ):
        model_at(server).complete(PROMPT, max_model_tokens=9)


def test_settings_that_a_server_does_not_take() -> None:
    """A seed or temperature that a server refuses is left out, and that is told."""
    answers = [refused(400, "Unsupported value: 'temperature' does not support 0"), refused(422, "seed: not permitted")]
    with Loopback([*answers, said("x")]) as server:
        model = model_at(server)
        model.complete(PROMPT, seed=1)
    assert server.requests[-1].body.keys() == {"model", "messages"}
    assert [note.split("`")[1] for note in model.notes] == ["seed", "temperature"]


def test_endless_refusals_end() -> None:
    """A server that complains about everything it could complain about is not asked for ever."""
    complaint = "unsupported: response_format max_tokens max_completion_tokens seed temperature"
    with Loopback(lambda _: refused(400, complaint)) as server, pytest.raises(StatusError):
        model_at(server).complete(PROMPT, json_schema=SCHEMA, max_model_tokens=1, seed=1)
    assert len(server.requests) == 6


@pytest.mark.parametrize("content_type", [EVENTS, "application/json"])
def test_stream_that_nobody_asked_for(content_type: str) -> None:
    """A server that streams anyway is understood."""
    pieces: list[dict[str, object]] = [
        {"model": "s", "choices": [{"delta": {"role": "assistant", "content": ""}}]},
        {"choices": [{"delta": {"content": "He"}}]},
        {"choices": [{"delta": {"content": "llo"}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 4, "completion_tokens": 2}},
    ]
    events = "".join(f"data: {json.dumps(piece)}\r\n\r\n" for piece in pieces) + "data: [DONE]\r\n\r\n"
    with Loopback([Said(f": hello\n\n{events}".encode(), content_type=content_type)]) as server:
        assert model_at(server).complete(PROMPT) == Reply("Hello", Usage(4, 2), "s", "stop")


def test_stream_with_an_error() -> None:
    """An error inside a stream is the error of the answer."""
    fault = failure([Said(b'data: {"error": {"message": "overloaded"}}\n\n', content_type=EVENTS)])
    assert "error: overloaded" in str(fault)


def test_odd_but_usable_answers() -> None:
    """Content in parts, a byte order mark, no usage, usage that is none and a wrong content type do no harm."""
    parts = said("x", usage=None).body.replace(
        b'"x"', b'[{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]'
    )
    odd = said("c").body.replace(b'"prompt_tokens": 10', b'"prompt_tokens": "ten"').replace(b": 5", b": -5")
    answers = [Said(b"\xef\xbb\xbf" + parts), Said(odd, content_type="text/plain")]
    with Loopback(answers) as server:
        model = model_at(server)
        assert model.complete(PROMPT) == Reply("ab", UNREPORTED, "served-1", "stop")
        assert model.complete(PROMPT) == Reply("c", UNREPORTED, "served-1", "stop")


def test_redirects_do_not_carry_the_key_away() -> None:
    """A redirect is told, and no request goes to where it leads."""
    with Loopback([]) as other:
        away = Said(b"", 307, {"Location": f"{other.url}/chat/completions"})
        with Loopback([away]) as server, pytest.raises(StatusError, match="if that is the right server"):
            model_at(server).complete(PROMPT)
    assert other.requests == []


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("localhost:8000", "does not begin with"),
        ("ftp://x/v1", "does not begin with"),
        ("http://", "names no server"),
        ("http://a b/v1", "names no server"),
        ("http://x:99999/", "cannot be read"),
        ("http://me:secret@x/v1", "a name or a password"),
        ("http://x/v1?key=secret", "`?`"),
        ("", "does not begin with"),
    ],
)
def test_base_urls(url: str, words: str) -> None:
    """An address that is none of a server is said to be wrong, without what may be secret in it."""
    with pytest.raises(ModelSettingsError) as caught:
        ChatCompletions("m", url)
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)
    assert caught.value.help


def test_base_url_may_be_that_of_the_action() -> None:
    """The whole address of the action and a slash at the end are understood."""
    for ending in ("", "/", "/chat/completions"):
        with Loopback([said("x")]) as server:
            ChatCompletions("m", server.url + ending).complete(PROMPT)
        assert server.requests[0].path == "/v1/chat/completions"


def test_no_name_and_no_message() -> None:
    """A model has a name and a prompt has a message."""
    with pytest.raises(ModelSettingsError, match="--model NAME"):
        ChatCompletions(" ")
    with Loopback([]) as server, pytest.raises(ModelSettingsError, match="no message"):
        model_at(server).complete(Prompt(()))


def test_threads_share_a_model() -> None:
    """Many threads may ask at once, and learn what the server does not take from one another."""

    def answer(request: Request) -> Said:
        is_asked = "response_format" in request.body
        return refused(400, "response_format") if is_asked else said("{}")

    with Loopback(answer) as server, ThreadPoolExecutor(8) as pool:
        model = model_at(server)
        replies = [pool.submit(model.complete, PROMPT, json_schema=SCHEMA) for _ in range(24)]
        assert {each.result().text for each in replies} == {"{}"}


def test_sent_to_another_process() -> None:
    """A model that was used works after it was pickled, and remembers what it learned of the server."""
    with Loopback([refused(400, "seed is not supported"), said("x"), said("y")]) as server:
        model = ChatCompletions("m", server.url)
        model.complete(PROMPT, seed=1)
        copy = pickle.loads(pickle.dumps(model))  # noqa: S301
        assert copy.complete(PROMPT, seed=1).text == "y"
    assert "seed" not in server.requests[-1].body


def test_script_that_ends() -> None:
    """The server of these tests fails loudly when more is asked than it has answers."""
    server = Loopback([said("x")])
    with server:
        model = model_at(server)
        model.complete(PROMPT)
        with pytest.raises(StatusError):
            model.complete(PROMPT)
        with pytest.raises(AssertionError, match=r"ended after 2 requests.*Hi\?"):
            server.check()
        server.forget()
