"""A model whose replies are kept in JSON lines that only grow, so that a run goes on after a kill."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import Unpack

from acdl_mkdocs.foundation.atomic import naming
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.playbook.learn.models import UNREPORTED, CallSettings, Model, ModelError, Reply, Usage
from acdl_mkdocs.prompts.prompt import Json, Prompt
from acdl_mkdocs.prompts.providers import WIRES


def read_lines(path: Path) -> Iterator[dict[str, Json]]:
    """Every whole line that is a JSON object, up to the first that is none; nothing where there is no file."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            data = _object(line)
            if data is None:
                return
            yield data


def cut_torn(path: Path) -> int:
    """Take away what stands behind the last whole line, so that the next line begins on its own.

    Returns:
        How many bytes were taken away: the rest of one line that was being written.
    """
    if not path.exists():
        return 0
    size = path.stat().st_size
    with path.open("rb") as file:
        whole = sum(len(line) for line in file if line.endswith(b"\n"))
    if whole < size:
        with path.open("r+b") as file:
            file.truncate(whole)
            os.fsync(file.fileno())
    return size - whole


def append_line(path: Path, data: dict[str, Json]) -> None:
    """Add one object to a file without a torn line; it is on the disk when this returns.

    Raises:
        OSError: The disk did not take it.
    """
    line = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False) + "\n"
    with naming(path), path.open("ab") as file:
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
class Said:
    """One call of a model."""

    prompt: str
    """Digest of what was sent."""
    reply: Reply


@dataclass
class Heard:
    """A model that remembers; as a model it is asked like any other.

    Parameters:
        model: Who is really asked.
        path: File of the replies, which is made with the first one. Without it, or where its folder does not exist (a
            worker on another machine), nothing is written down.
    """

    model: Model
    path: Path | None = None
    said: list[Said] = field(default_factory=list)
    """Every call that was answered, in order."""
    lost: Usage = field(default_factory=Usage)
    """Model tokens of calls that were paid for and gave no answer."""

    def __post_init__(self) -> None:
        self.name = self.model.name
        self._written: dict[str, list[Reply]] = {}
        if self.path is None:
            return
        cut_torn(self.path)
        for each in read_lines(self.path):
            self._written.setdefault(str(each.get("prompt")), []).append(_reply_of(each))

    @property
    def usage(self) -> Usage:
        """Model tokens of all calls together."""
        return sum((each.reply.usage for each in self.said), self.lost)

    def complete(self, prompt: Prompt, **settings: Unpack[CallSettings]) -> Reply:
        """The reply that is written down for exactly this, else one of the model."""
        return self.reply_of(self.model, prompt, settings)

    def through(self, model: Model) -> Model:
        """Another model whose replies are kept and counted with those of this one."""
        return self if model is self.model else _Through(self, model)

    def remember(self, asked: str, ask: Callable[[], Reply]) -> Reply:
        """The reply that is written down for a digest of what is asked, else a new one, which is written down.

        Raises:
            ModelError: There is none; what it cost is in `lost`.
        """
        known = self._written.get(asked)
        if known:
            reply = known.pop(0)
        else:
            try:
                reply = ask()
            except ModelError as error:
                self.lost += error.usage
                raise
            if self.path is not None and self.path.parent.is_dir():
                append_line(self.path, {"prompt": asked, **_reply_data(reply)})
        self.said.append(Said(asked, reply))
        return reply

    def reply_of(self, model: Model, prompt: Prompt, settings: CallSettings) -> Reply:
        """The reply of a model that is written down for exactly this, else a new one, which is written down.

        Raises:
            ModelError: There is none.
        """
        schema, temperature = dict(settings.get("json_schema") or {}), settings.get("temperature", 0.0)
        limits = settings.get("max_model_tokens"), temperature, settings.get("seed")
        asked = digest_of(prompt, (schema, *limits, model.name))
        return self.remember(asked, lambda: model.complete(prompt, **settings))


@dataclass(frozen=True, slots=True)
class _Through:
    """A model that another one remembers for."""

    heard: Heard
    model: Model

    @property
    def name(self) -> str:
        return self.model.name

    def complete(self, prompt: Prompt, **settings: Unpack[CallSettings]) -> Reply:
        return self.heard.reply_of(self.model, prompt, settings)


def digest_of(prompt: Prompt, settings: object = ()) -> str:
    """A name for what is sent: the same for the same messages and settings."""
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
