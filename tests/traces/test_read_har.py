"""HAR 1.2: which entries are calls of a model, and how their bodies are written."""

import base64
import gzip
import json
import zlib
from pathlib import Path

import pytest

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.runs.read.recorded import Skipped
from traces.runs import found_in, requests, said, skipped

BODY = json.dumps({"messages": [{"role": "user", "content": "hi"}], "model": "gpt-5"})
CHAT = "https://api.openai.com/v1/chat/completions"


def entry(url: str, post: Json = None, method: str = "POST", **more: Json) -> Json:
    """An entry of a log."""
    request: dict[str, Json] = {"method": method, "url": url, "headers": more.pop("headers", [])}
    if post is not None:
        request["postData"] = post
    return {"startedDateTime": "2025-01-01T00:00:00Z", "request": request, **more}


def har(*entries: Json) -> str:
    """A log."""
    return json.dumps({"log": {"version": "1.2", "entries": list(entries)}}, indent=1)


def encoded(data: bytes) -> Json:
    """A body in base64."""
    return {"mimeType": "application/json", "encoding": "base64", "text": base64.b64encode(data).decode()}


GZIP: Json = [{"name": "Content-Encoding", "value": "gzip"}]
DEFLATE: Json = [{"name": "content-encoding", "value": "deflate"}]


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(entry(CHAT, {"mimeType": "application/json", "text": BODY}), id="text"),
        pytest.param(entry(CHAT, encoded(BODY.encode())), id="base64"),
        pytest.param(entry(CHAT, encoded(gzip.compress(BODY.encode())), headers=GZIP), id="gzip"),
        pytest.param(entry(CHAT, encoded(zlib.compress(BODY.encode())), headers=DEFLATE), id="deflate"),
        pytest.param(entry("https://gateway.example/llm", {"text": BODY}), id="address-of-nobody"),
    ],
)
def test_bodies(made: Json, tmp_path: Path) -> None:
    """A body is read however it is written."""
    (found,) = requests(found_in(tmp_path / "run.har", har(made)))
    assert (found.format, found.model, said(found.request)) == ("openai", "gpt-5", [("user", "hi")])
    assert found.origin.inside == "entry 1"


def test_address_says_format_and_model(tmp_path: Path) -> None:
    """What a body does not say, its address does."""
    gemini = json.dumps({"contents": [{"parts": [{"text": "hi"}]}]})
    claude = json.dumps({"messages": [{"role": "user", "content": "hi"}], "model": "m"})
    text = har(
        entry("https://g.example/v1beta/models/gemini-2:streamGenerateContent?alt=sse&key=k", {"text": gemini}),
        entry("https://api.anthropic.com/v1/messages?beta=true", {"text": claude}),
    )
    assert [(each.format, each.model) for each in requests(found_in(tmp_path / "run.har", text))] == [
        ("gemini", "gemini-2"),
        ("anthropic", "m"),
    ]


def test_replies(tmp_path: Path) -> None:
    """An answer is kept as data where it is JSON, else as text."""
    post: Json = {"text": BODY}
    answers: list[dict[str, Json]] = [
        {"text": '{"choices": []}'},
        {"text": "data: {}\n\n"},
        {"encoding": "base64", "text": base64.b64encode(b"[1]").decode()},
        {},
    ]
    text = har(*[entry(CHAT, post, response={"status": 200, "content": each}) for each in answers])
    found = requests(found_in(tmp_path / "run.har", text))
    assert [each.reply for each in found] == [{"choices": []}, "data: {}\n\n", [1], None]
    assert {each.status for each in found} == {200}


def test_other_entries(tmp_path: Path) -> None:
    """What is not a call of a model is counted; a call without a readable body is damage, with a cure."""
    text = har(
        entry("https://x.example/", method="GET"),
        entry("https://x.example/track", {"text": '{"event": 1}'}),
        entry("https://x.example/form", {"text": "a=b"}),
        entry("https://api.openai.com/v1/embeddings", {"text": '{"input": "hi"}'}),
        entry("https://api.anthropic.com/v1/messages/count_tokens", {"text": BODY}),
        entry(CHAT),
        entry(CHAT, {"text": "{"}),
        entry(CHAT, encoded(gzip.compress(BODY.encode())[:20]), headers=GZIP),
        {"request": 5},
        entry(CHAT, {"text": BODY}),
    )
    found = found_in(tmp_path / "run.har", text)
    assert len(requests(found)) == 1
    other, without, no_json = "a request that is not a model call", "a model call without its body", "not JSON"
    assert [(each[0], each[2]) for each in skipped(found)] == [
        *[(other, False)] * 5,
        (without, True),
        *[(f"a model call whose body is {no_json}", True)] * 2,
        (other, False),
    ]
    assert all(each.cure for each in found if isinstance(each, Skipped) and each.is_damaged)


def test_named_reader(tmp_path: Path) -> None:
    """A file that is no log is told when it is named as one."""
    assert skipped(found_in(tmp_path / "run.har", BODY, "har")) == [("a document without `log.entries`", "", True)]
