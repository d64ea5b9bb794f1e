"""Any endpoint that speaks OpenAI's Chat Completions: vLLM, Ollama, LM Studio, OpenRouter, OpenAI and others.

Sends through the `openai` package (extra `[openai]`). Retries and their waits, deadlines, fall-backs and what counts as
an answer are ours; the package only carries bytes. Redirects are not followed: only the named server gets the key.
"""

import json
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Lock
from types import ModuleType
from typing import Any

from acdl_mkdocs.foundation.extras import load
from acdl_mkdocs.models.chat_answer import error_words, read_answer, shown
from acdl_mkdocs.models.chat_request import Asked, Dialect, adapted, chat_request
from acdl_mkdocs.models.endpoint import KEY_NAME, OPENAI_URL, Endpoint
from acdl_mkdocs.models.model_errors import (
    ACCOUNT_HELP,
    ModelError,
    ModelSettingsError,
    NoConnectionError,
    OverdueError,
    OversizedReplyError,
    StatusError,
)
from acdl_mkdocs.models.replies import Reply
from acdl_mkdocs.models.retry import Patience, retry_after_s
from acdl_mkdocs.prompts.prompt import Json, Prompt

MAX_ANSWER_BYTES = 16_000_000
_EXTRA = "openai"
_NO_KEY = "none"
"""What the package is told where there is no key; it is not sent."""
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
        name: The model, as the server calls it.
        base_url: Address of the server's API, mostly up to and with `/v1`.
        key_name: Which variable of the environment has the key; servers that need none work without.
        max_model_tokens: Longest reply where a call says nothing else; `None` leaves it to the server.
        patience: How hard a request is tried.
        clock: Seconds from any beginning, for deadlines.
        now: Seconds since 1970, for dates that servers name.
        sleep: Waits so many seconds.

    May be used by several threads, and sent to other processes: the key is not in it.
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
        """What is not asked of the server because it refused that, in words."""
        return self._dialect.notes()

    def complete(
        self,
        prompt: Prompt,
        *,
        json_schema: Mapping[str, Json] | None = None,
        max_model_tokens: int | None = None,
        temperature: float = 0.0,
        seed: int | None = None,
    ) -> Reply:
        """The server's answer; see `Model`."""
        asked = Asked(json_schema, max_model_tokens or self._max_model_tokens, temperature, seed)
        end_s = self._clock() + self._patience.deadline_s
        attempt = 1
        while True:
            dialect = self._dialect
            body = chat_request(prompt, self.name, asked, dialect)
            try:
                reply = self._ask(body, end_s)
            except StatusError as fault:
                if self._adapt(dialect, body, fault):
                    continue
                self._wait(attempt, body, fault, end_s)
            except ModelError as fault:
                self._wait(attempt, body, fault, end_s)
            else:
                return reply if reply.model else replace(reply, model=self.name)
            attempt += 1

    def _adapt(self, dialect: Dialect, body: dict[str, Json], fault: StatusError) -> bool:
        """Leave out what the server does not know, for all requests to come; whether there is something."""
        if fault.status not in _COMPLAINTS:
            return False
        with self._lock:
            if self._dialect != dialect:  # another thread has found it out
                return True
            found = adapted(dialect, body, fault.complaint)
            self._dialect = found or dialect
        return found is not None

    def _wait(self, attempt: int, body: dict[str, Json], fault: ModelError, end_s: float) -> None:
        """Wait for the next attempt, or raise the fault where there is to be none."""
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
        """One request."""
        sdk, http = load("openai", _EXTRA), load("httpx2", _EXTRA)
        limit_s = max(0.001, min(self._patience.attempt_s, end_s - self._clock()))
        attempt_end_s = self._clock() + limit_s
        try:
            request = self._connected(sdk).chat.completions.with_streaming_response.create(
                model=body["model"], messages=body["messages"], extra_body=body, timeout=limit_s
            )
            with request as response:
                data = self._received(response.iter_bytes(), attempt_end_s)
                return read_answer(data, response.headers.get("content-type", ""))
        except sdk.APIStatusError as refused:
            raise self._status_error(refused) from None
        except sdk.APITimeoutError:
            raise NoConnectionError(f"the server gave no answer within {limit_s:.3g} s") from None
        except (sdk.APIConnectionError, http.HTTPError) as broken:
            raise NoConnectionError(self._unreached(broken), "check that the server runs at that address") from None

    def _connected(self, sdk: ModuleType) -> Any:
        """The client of this process, made once."""
        with self._lock:
            if self._client is None:
                key = self.endpoint.key()
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
                weakref.finalize(self, self._client.close)  # else its connections are left to the collector
            return self._client

    def _received(self, chunks: Any, end_s: float) -> bytes:
        data = bytearray()
        for chunk in chunks:
            data += chunk
            if len(data) > MAX_ANSWER_BYTES:
                raise OversizedReplyError(
                    f"the server's answer is larger than {MAX_ANSWER_BYTES // 1_000_000} MB", "check the base URL"
                )
            if self._clock() > end_s:
                raise NoConnectionError("the server's answer comes too slowly to be waited for")
        return self.endpoint.without_key_in(bytes(data))

    def _unreached(self, broken: BaseException) -> str:
        cause = broken.__cause__ or broken
        reason = self.endpoint.without_key(str(cause)) or type(cause).__name__
        return f"no whole answer from {self.endpoint.base_url}: {shown(reason)}"

    def _status_error(self, refused: Any) -> StatusError:
        status = int(refused.status_code)
        words = self.endpoint.without_key(error_words(refused.body if refused.body else ""))
        headers = {name.lower(): value for name, value in refused.response.headers.items()}
        said = f": {shown(words)}" if words.strip('" ') else ""
        cure = _HELP.get(status, "")
        if status in (401, 403):
            cure = f"put the key of this server into {self.endpoint.key_name}"
        if _FIRST_REDIRECT <= status < _FIRST_CLIENT_FAULT:
            target = self.endpoint.without_key(headers.get("location", "")) or "another address"
            said, cure = f": it leads to {shown(target)}", "if that is the right server, give its base URL"
        message = f"the server answered with status {status}{said}"
        fault = StatusError(message, cure, None, status, retry_after_s(headers, self._now()))
        fault.complaint = self.endpoint.without_key(json.dumps(refused.body))
        if fault.is_about_account:
            fault.help = ACCOUNT_HELP
        return fault


def _drop_key(request: Any) -> None:
    """Send no key where there is none."""
    del request.headers["Authorization"]
