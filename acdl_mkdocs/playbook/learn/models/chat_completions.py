"""Any endpoint that supports OpenAI's Chat Completions: requests, answers, retries."""

import json
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from threading import Lock
from types import ModuleType
from typing import Any, Literal, NoReturn, TypeAlias

from acdl_mkdocs.foundation.extras import import_extra
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.json_schema import is_strict
from acdl_mkdocs.foundation.safe_text import one_line
from acdl_mkdocs.playbook.learn.models.endpoint import KEY_NAME, OPENAI_URL, Endpoint, Patience, retry_after_s
from acdl_mkdocs.playbook.learn.models.model import (
    ACCOUNT_HELP,
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
    Reply,
    StatusError,
    UnreadableReplyError,
    Usage,
    is_about_account,
)
from acdl_mkdocs.prompts.prompt import Json, Prompt
from acdl_mkdocs.prompts.providers import WIRES

JsonMode: TypeAlias = Literal["json_schema", "json_object", "none"]
_WEAKER: Mapping[JsonMode, JsonMode] = {"json_schema": "json_object", "json_object": "none"}
_ABOUT_FORMAT = (
    "response_format",
    "json_schema",
    "json_object",
    "guided",
    "structured output",
    "'messages' must contain",
)
_UNKNOWN = (
    "unsupported",
    "not supported",
    "does not support",
    "unrecognized",
    "unknown",
    "not permitted",
    "not allowed",
    "unexpected",
    "deprecated",
    "max_completion_tokens",
)
_OPTIONAL = ("seed", "temperature")


@dataclass(frozen=True, slots=True)
class ReplyOptions:
    """The options of one request."""

    json_schema: Mapping[str, Json] | None = None
    max_model_tokens: int | None = None
    temperature: float = 0.0
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """The parts of the protocol that a server is known to support."""

    json_mode: JsonMode = "json_schema"
    limit_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    left_out: frozenset[str] = field(default_factory=frozenset)
    """Settings that the server does not accept."""

    def list_notes(self) -> tuple[str, ...]:
        """Describe what is not requested because the server refused it."""
        notes = []
        if self.json_mode != "json_schema":
            notes.append(f"the server does not take a JSON schema: replies are asked for with `{self.json_mode}`")
        notes += [f"the server does not take `{name}`: it is not sent" for name in sorted(self.left_out)]
        return tuple(notes)


def chat_request(prompt: Prompt, model: str, options: ReplyOptions, dialect: Dialect) -> dict[str, Json]:
    """Return the body of a request.

    Raises:
        ModelSettingsError: The prompt has no message.
    """
    body = dict(WIRES["openai"].write(prompt, model).request)
    if not body.get("messages"):
        raise ModelSettingsError("the prompt has no message", "give it one with text")
    body.pop("stream", None)
    if options.max_model_tokens is not None:
        body[dialect.limit_key] = options.max_model_tokens
    body["temperature"] = options.temperature
    if options.seed is not None:
        body["seed"] = options.seed
    if options.json_schema is not None and dialect.json_mode != "none":
        body["response_format"] = _response_format(options.json_schema, dialect.json_mode)
    return {key: value for key, value in body.items() if key not in dialect.left_out}


def _response_format(schema: Mapping[str, Json], mode: JsonMode) -> Json:
    if mode == "json_object":
        return {"type": "json_object"}
    json_schema: dict[str, Json] = dict(schema)
    return {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": json_schema, "strict": is_strict(json_schema)},
    }


def adapt_dialect(dialect: Dialect, body: Mapping[str, Json], complaint: str) -> Dialect | None:
    """Return what to try after a server refused a request (status 400 or 422); `None` if the dialect is not the cause.

    Every step permanently drops a feature, so this ends.
    """
    lowered = complaint.lower()
    weaker = _WEAKER.get(dialect.json_mode)
    if weaker and "response_format" in body and any(word in lowered for word in _ABOUT_FORMAT):
        return replace(dialect, json_mode=weaker)
    if not any(word in lowered for word in _UNKNOWN):
        return None
    if "max_tokens" in body and "max_tokens" in lowered:
        return replace(dialect, limit_key="max_completion_tokens")
    for name in _OPTIONAL:
        if name in body and name in lowered:
            return replace(dialect, left_out=dialect.left_out | {name})
    return None


_SHOWN_CHARACTERS = 200
_MOST_STATUS = 599
_LEAST_STATUS = 400
_ADDRESS_HELP = "check the base URL: for most servers it ends in `/v1`"
_NOT_CHAT = "check that the base URL is one of an OpenAI-compatible server"


def read_answer(data: bytes, content_type: str) -> Reply:
    """Read the reply in the body of a successful answer.

    Raises:
        ModelError: There is none.
    """
    text = data.decode("utf-8", "replace").lstrip("\ufeff")
    is_stream = "text/event-stream" in content_type.lower() or text.lstrip().startswith(("data:", "event:", ":"))
    return _reply(_join_stream(text) if is_stream else _load_body(text, content_type))


def _load_body(text: str, content_type: str) -> Json:
    try:
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        start = text.lstrip()[:1]
        if not text.strip():
            raise NotJsonError("the server answered with nothing", _ADDRESS_HELP) from None
        if start in "{[" and "html" not in content_type.lower():
            raise NoConnectionError("the server's answer is JSON that ends too early or is damaged") from None
        kind = "a web page" if start == "<" else "text"
        raise NotJsonError(
            f"the server answered with {kind} instead of JSON: {preview_text(text)}", _ADDRESS_HELP
        ) from None
    return value


def preview_text(text: str) -> str:
    """Return the beginning of a text on one line, safe to print."""
    return one_line(text[: 4 * _SHOWN_CHARACTERS], _SHOWN_CHARACTERS + 1)


def _join_stream(text: str) -> Json:
    """Join the pieces of a stream to one answer."""
    content, refusal, finish, model, usage = [], [], None, None, None
    is_done = False
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if not line.startswith("data:"):
            continue
        data = line[len("data:") :].strip()
        if data == "[DONE]":
            is_done = True
            break
        chunk = _load_chunk(data)
        if chunk.get("error"):
            return chunk
        model, usage = chunk.get("model") or model, chunk.get("usage") or usage
        for choice in _first(chunk.get("choices")):
            delta = choice.get("delta")
            pieces = delta if isinstance(delta, dict) else {}
            content.append(_words(pieces.get("content")) or "")
            refusal.append(_words(pieces.get("refusal")) or "")
            finish = choice.get("finish_reason") or finish
    if not is_done and finish is None:
        raise NoConnectionError("the server's stream of events ended before the answer was whole")
    message: dict[str, Json] = {"content": "".join(content), "refusal": "".join(refusal) or None}
    return {"model": model, "usage": usage, "choices": [{"message": message, "finish_reason": finish}]}


def _load_chunk(text: str) -> dict[str, Json]:
    try:
        chunk = json.loads(text)
    except (ValueError, RecursionError):
        raise NoConnectionError("an event of the server's stream is damaged") from None
    return chunk if isinstance(chunk, dict) else {}


def _first(choices: Json) -> list[dict[str, Json]]:
    """Return the first choice, if there is one."""
    return [each for each in choices[:1] if isinstance(each, dict)] if isinstance(choices, list) else []


def _reply(body: Json) -> Reply:
    if not isinstance(body, dict):
        raise UnreadableReplyError(f"the server's answer is not an object: {preview_text(json.dumps(body))}", _NOT_CHAT)
    if body.get("error"):
        _raise_error_object(body["error"])
    usage = _usage(body.get("usage"))
    choices = _first(body.get("choices"))
    if not choices:
        keys = ", ".join(f"`{key}`" for key in list(body)[:8]) or "none"
        raise UnreadableReplyError(
            f"the server's answer has no choices; its keys are {preview_text(keys)}", _NOT_CHAT, usage
        )
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise UnreadableReplyError("the server's answer has a choice without a message", _NOT_CHAT, usage)
    finish = choices[0].get("finish_reason")
    text = _words(message.get("content"))
    _raise_unfinished(str(finish), text or "", message, usage)
    model = body.get("model")
    return Reply(
        text or "", usage, model if isinstance(model, str) else "", finish if isinstance(finish, str) else "stop"
    )


def _raise_unfinished(finish: str, text: str, message: dict[str, Json], usage: Usage) -> None:
    """Raise an error if the text is not complete."""
    if finish == "length":
        limit = "allow it more model tokens, or ask for a shorter one"
        raise CutReplyError(
            f"the reply was cut after {usage.reply_model_tokens or 'too many'} model tokens", limit, usage, text
        )
    if finish == "content_filter":
        raise FilteredReplyError(
            "a filter of the provider kept the reply back", "reword the question or leave it out", usage
        )
    if isinstance(refusal := message.get("refusal"), str) and refusal.strip():
        raise ModelRefusalError(
            f"the model refused: {preview_text(refusal)}", "reword the question or leave it out", usage
        )
    if not text.strip():
        if message.get("tool_calls") or message.get("function_call"):
            raise EmptyReplyError(
                "the model called a tool instead of answering", "ask a model that follows the prompt", usage
            )
        kind = "null" if message.get("content") is None else "empty"
        raise EmptyReplyError(f"the reply's content is {kind}", "try again, or ask another model", usage)


def _words(content: Json) -> str | None:
    """Return content that is a text or a list of parts with text."""
    if isinstance(content, list):
        parts = [each.get("text") for each in content if isinstance(each, dict)]
        return "".join(each for each in parts if isinstance(each, str))
    return content if isinstance(content, str) else None


def _usage(value: Json) -> Usage:
    counts = value if isinstance(value, dict) else {}

    def count(key: str) -> int:
        number = counts.get(key)
        return number if isinstance(number, int) and not isinstance(number, bool) and number > 0 else 0

    prompt, reply = count("prompt_tokens"), count("completion_tokens")
    return Usage(prompt, reply, n_unreported=int(not prompt and not reply))


def error_words(body: Json) -> str:
    """Return the message of an error, from any of the usual places."""
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, str):
            return inner
        for holder in (inner, body):
            for key in ("message", "detail", "msg"):
                if isinstance(holder, dict) and holder.get(key):
                    return error_words(holder[key])
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)


def _raise_error_object(error: Json) -> NoReturn:
    """Raise the error in an answer with a success status."""
    code = error.get("code") if isinstance(error, dict) else None
    number = int(code) if isinstance(code, (int, str)) and str(code).isascii() and str(code).isdigit() else 0
    message = f"the server answered with an error: {preview_text(error_words(error))}"
    text = json.dumps(error)
    if _LEAST_STATUS <= number <= _MOST_STATUS or is_about_account(text):
        fault = StatusError(message, "" if number else ACCOUNT_HELP, status=number)
        fault.complaint = text
        raise fault
    raise UnreadableReplyError(message, "fix what the server reports there")


MAX_ANSWER_BYTES = 16_000_000
_EXTRA = "openai"
_NO_KEY = "none"
"""The key for the package if there is none; it is not sent."""
_COMPLAINTS = (400, 422)
_FIRST_REDIRECT, _FIRST_CLIENT_FAULT = 300, 400
_HELP: Mapping[int, str] = {
    400: "check the name of the model and the length of the prompt",
    402: "the account has no credit left: add some, or use another server",
    404: "check the name of the model and the base URL: for most servers it ends in `/v1`",
    413: "the prompt is too long for the server: give the playbook a smaller budget",
    429: "ask less often (fewer workers), or raise the limit of the account",
}


class ChatCompletions:
    """A model of an OpenAI-compatible server.

    Parameters:
        name: The model's name on the server.
        base_url: Address of the server's API, mostly up to and with `/v1`.
        key_name: Environment variable with the key; not needed by servers without keys.
        max_model_tokens: Default limit of a reply; `None` leaves it to the server.
        patience: Limits of retries.
        clock: Returns seconds from any start, for deadlines.
        now: Returns seconds since 1970, for dates from servers.
        sleep: Waits for a number of seconds.

    Can be used by several threads, and sent to other processes: it does not contain the key.
    """

    def __init__(
        self,
        name: str,
        base_url: str = OPENAI_URL,
        *,
        key_name: str = KEY_NAME,
        max_model_tokens: int | None = None,
        patience: Patience | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not name.strip():
            raise ModelSettingsError("the model has no name", "give one: `--model NAME`")
        self.name = name
        self.endpoint = Endpoint(base_url, key_name)
        self._max_model_tokens = max_model_tokens
        self._patience = patience or Patience()
        self._clock, self._now, self._sleep = clock, now, sleep
        self._dialect = Dialect()
        self._client: Any = None
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"ChatCompletions({self.name!r}, {self.endpoint.base_url!r}, key_name={self.endpoint.key_name!r})"

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in vars(self).items() if key not in ("_client", "_lock")}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state, _client=None, _lock=Lock())

    @property
    def notes(self) -> tuple[str, ...]:
        """The features that are not requested because the server refused them, in words."""
        return self._dialect.list_notes()

    def complete(
        self,
        prompt: Prompt,
        *,
        json_schema: Mapping[str, Json] | None = None,
        max_model_tokens: int | None = None,
        temperature: float = 0.0,
        seed: int | None = None,
    ) -> Reply:
        """Return the server's answer; see `Model`."""
        options = ReplyOptions(json_schema, max_model_tokens or self._max_model_tokens, temperature, seed)
        end_s = self._clock() + self._patience.deadline_s
        attempt = 1
        while True:
            dialect = self._dialect
            body = chat_request(prompt, self.name, options, dialect)
            try:
                reply = self._ask(body, end_s)
            except StatusError as fault:
                if self._adapt_dialect(dialect, body, fault):
                    continue
                self._wait_or_raise(attempt, body, fault, end_s)
            except ModelError as fault:
                self._wait_or_raise(attempt, body, fault, end_s)
            else:
                return reply if reply.model else replace(reply, model=self.name)
            attempt += 1

    def _adapt_dialect(self, dialect: Dialect, body: dict[str, Json], fault: StatusError) -> bool:
        """Drop what the server does not support, for all later requests; return whether there is something."""
        if fault.status not in _COMPLAINTS:
            return False
        with self._lock:
            if self._dialect != dialect:  # another thread did that
                return True
            adapted = adapt_dialect(dialect, body, fault.complaint)
            self._dialect = adapted or dialect
        return adapted is not None

    def _wait_or_raise(self, attempt: int, body: dict[str, Json], fault: ModelError, end_s: float) -> None:
        """Wait for the next attempt, or raise the fault if there is none."""
        if not fault.is_transient:
            raise fault
        if attempt >= self._patience.max_attempts:
            fault.message = f"{fault.message} (attempt {attempt} of {self._patience.max_attempts})"
            raise fault
        asked_s = fault.retry_after_s if isinstance(fault, StatusError) else None
        wait_s = self._patience.wait_s(attempt, json.dumps(body, sort_keys=True).encode(), asked_s)
        if self._clock() + wait_s >= end_s:
            raise OverdueError(
                f"no answer in {self._patience.deadline_s:g} s and {attempt} attempts; at last: {fault.message}",
                "try again later, or use a faster server",
            ) from None
        self._sleep(wait_s)

    def _ask(self, body: dict[str, Json], end_s: float) -> Reply:
        """Make one request."""
        sdk, http = import_extra("openai", _EXTRA), import_extra("httpx2", _EXTRA)
        limit_s = max(0.001, min(self._patience.attempt_s, end_s - self._clock()))
        attempt_end_s = self._clock() + limit_s
        try:
            request = self._connect(sdk).chat.completions.with_streaming_response.create(
                model=body["model"], messages=body["messages"], extra_body=body, timeout=limit_s
            )
            with request as response:
                data = self._receive(response.iter_bytes(), attempt_end_s)
                return read_answer(data, response.headers.get("content-type", ""))
        except sdk.APIStatusError as refused:
            raise self._status_error(refused) from None
        except sdk.APITimeoutError:
            raise NoConnectionError(f"the server gave no answer within {limit_s:.3g} s") from None
        except (sdk.APIConnectionError, http.HTTPError) as broken:
            raise NoConnectionError(
                self._describe_unreached(broken), "check that the server runs at that address"
            ) from None

    def _connect(self, sdk: ModuleType) -> Any:
        """Return the client of this process, created once."""
        with self._lock:
            if self._client is None:
                key = self.endpoint.read_key()
                self._client = sdk.OpenAI(
                    api_key=key or _NO_KEY,
                    base_url=self.endpoint.base_url,
                    max_retries=0,
                    http_client=sdk.DefaultHttpxClient(
                        follow_redirects=False,
                        trust_env=not self.endpoint.is_local,
                        event_hooks={"request": [] if key else [_drop_key]},
                    ),
                )
                weakref.finalize(self, self._client.close)  # otherwise its connections wait for garbage collection
            return self._client

    def _receive(self, chunks: Any, end_s: float) -> bytes:
        data = bytearray()
        for chunk in chunks:
            data += chunk
            if len(data) > MAX_ANSWER_BYTES:
                raise OversizedReplyError(
                    f"the server's answer is larger than {MAX_ANSWER_BYTES // 1_000_000} MB", "check the base URL"
                )
            if self._clock() > end_s:
                raise NoConnectionError("the server's answer comes too slowly to be waited for")
        return self.endpoint.remove_key_from(bytes(data))

    def _describe_unreached(self, broken: BaseException) -> str:
        cause = broken.__cause__ or broken
        reason = self.endpoint.remove_key(str(cause)) or type(cause).__name__
        return f"no whole answer from {self.endpoint.base_url}: {preview_text(reason)}"

    def _status_error(self, refused: Any) -> StatusError:
        status = int(refused.status_code)
        words = self.endpoint.remove_key(error_words(refused.body if refused.body else ""))
        headers = {name.lower(): value for name, value in refused.response.headers.items()}
        detail = f": {preview_text(words)}" if words.strip('" ') else ""
        cure = _HELP.get(status, "")
        if status in (401, 403):
            cure = f"put the key of this server into {self.endpoint.key_name}"
        if _FIRST_REDIRECT <= status < _FIRST_CLIENT_FAULT:
            target = self.endpoint.remove_key(headers.get("location", "")) or "another address"
            detail, cure = f": it leads to {preview_text(target)}", "if that is the right server, give its base URL"
        message = f"the server answered with status {status}{detail}"
        fault = StatusError(message, cure, None, status, retry_after_s(headers, self._now()))
        fault.complaint = self.endpoint.remove_key(json.dumps(refused.body))
        if fault.is_about_account:
            fault.help = ACCOUNT_HELP
        return fault


def _drop_key(request: Any) -> None:
    """Send no key if there is none."""
    del request.headers["Authorization"]
