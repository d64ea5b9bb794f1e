"""A model whose replies are appended to a file of JSON lines, so that a run can resume after a kill."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Unpack

from acdl_mkdocs.foundation.atomic import name_file_in_errors
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.models import UNREPORTED, CallSettings, Model, ModelError, Reply, Usage
from acdl_mkdocs.prompts.prompt import Json, Prompt
from acdl_mkdocs.prompts.providers import WIRES


def read_lines(path: Path) -> Iterator[dict[str, Json]]:
    """Yield the lines that are JSON objects, up to the first that is not; nothing if the file is missing."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            data = _object(line)
            if data is None:
                return
            yield data


def cut_torn_line(path: Path) -> int:
    """Remove an incomplete last line, so that the next one starts on a new line.

    Returns:
        The number of bytes removed: the rest of one line that was being written.
    """
    if not path.exists():
        return 0
    size = path.stat().st_size
    with path.open("rb") as file:
        complete_size = sum(len(line) for line in file if line.endswith(b"\n"))
    if complete_size < size:
        with path.open("r+b") as file:
            file.truncate(complete_size)
            os.fsync(file.fileno())
    return size - complete_size


def append_line(path: Path, data: dict[str, Json]) -> None:
    """Append one object to a file without an incomplete line; it is on disk when this returns.

    Raises:
        OSError: It cannot be written.
    """
    line = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False) + "\n"
    with name_file_in_errors(path), path.open("ab") as file:
        file.write(line.encode("ascii"))
        file.flush()
        os.fsync(file.fileno())


def _object(line: bytes) -> dict[str, Json] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a model."""

    prompt: str
    """Digest of the prompt."""
    reply: Reply


@dataclass
class CachedModel:
    """A model with cached replies, which can be used like any other.

    Parameters:
        model: The model that is asked.
        path: File of the replies, created with the first one. Without it, or if its folder does not exist (a worker
            on another machine), nothing is written.
    """

    model: Model
    path: Path | None = None
    calls: list[ModelCall] = field(default_factory=list)
    """All answered calls, in order."""
    lost: Usage = field(default_factory=Usage)
    """Model tokens of unanswered calls that were paid for."""

    def __post_init__(self) -> None:
        self.name = self.model.name
        self._written: dict[str, list[Reply]] = {}
        if self.path is None:
            return
        cut_torn_line(self.path)
        for each in read_lines(self.path):
            self._written.setdefault(str(each.get("prompt")), []).append(_reply_of(each))

    @property
    def usage(self) -> Usage:
        """The model tokens of all calls."""
        return sum((each.reply.usage for each in self.calls), self.lost)

    def complete(self, prompt: Prompt, **settings: Unpack[CallSettings]) -> Reply:
        """Return the cached reply to this request, else ask the model."""
        return self.reply_of(self.model, prompt, settings)

    def wrap_model(self, model: Model) -> Model:
        """Return another model whose replies are cached and counted with those of this one."""
        return self if model is self.model else _WrappedModel(self, model)

    def find_or_ask(self, digest: str, ask: Callable[[], Reply]) -> Reply:
        """Return the cached reply for the digest of a request, else ask and cache it.

        Raises:
            ModelError: There is none; its cost is in `lost`.
        """
        replies = self._written.get(digest)
        if replies:
            reply = replies.pop(0)
        else:
            try:
                reply = ask()
            except ModelError as error:
                self.lost += error.usage
                raise
            if self.path is not None and self.path.parent.is_dir():
                append_line(self.path, {"prompt": digest, **_reply_data(reply)})
        self.calls.append(ModelCall(digest, reply))
        return reply

    def reply_of(self, model: Model, prompt: Prompt, settings: CallSettings) -> Reply:
        """Return the cached reply of a model to this request, else ask and cache it.

        Raises:
            ModelError: There is none.
        """
        schema, temperature = dict(settings.get("json_schema") or {}), settings.get("temperature", 0.0)
        limits = settings.get("max_model_tokens"), temperature, settings.get("seed")
        digest = digest_of(prompt, (schema, *limits, model.name))
        return self.find_or_ask(digest, lambda: model.complete(prompt, **settings))


@dataclass(frozen=True, slots=True)
class _WrappedModel:
    """A model whose replies another one caches."""

    cache: CachedModel
    model: Model

    @property
    def name(self) -> str:
        return self.model.name

    def complete(self, prompt: Prompt, **settings: Unpack[CallSettings]) -> Reply:
        return self.cache.reply_of(self.model, prompt, settings)


def digest_of(prompt: Prompt, settings: object = ()) -> str:
    """Return a digest of a request: the same for the same messages and settings."""
    body = WIRES["openai"].write(prompt, "model").body
    return sha256(json.dumps([body, settings], sort_keys=True, default=str).encode("ascii")).hexdigest()[:32]


def _reply_data(reply: Reply) -> dict[str, Json]:
    used = reply.usage
    tokens: list[Json] = [used.prompt_model_tokens, used.reply_model_tokens, used.n_unreported]
    return {"text": reply.text, "usage": tokens, "model": reply.model, "finish": reply.finish}


def _reply_of(data: dict[str, Json]) -> Reply:
    text, usage, model, finish = data.get("text"), data.get("usage"), data.get("model"), data.get("finish")
    counts = [each for each in usage if isinstance(each, int)] if isinstance(usage, list) else []
    used = Usage(*counts) if 2 <= len(counts) <= 3 else UNREPORTED
    return Reply(str(text or ""), used, str(model or ""), str(finish or ""))
