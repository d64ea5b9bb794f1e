"""A model with scripted replies: for tests, examples and runs without a network."""

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TypeAlias

from acdl_mkdocs.playbook.learn.models.model import ModelError, Reply, Usage
from acdl_mkdocs.prompts.prompt import Json, Prompt, Text

Line: TypeAlias = str | Reply | ModelError
"""A reply, or a failure."""
_SHOWN_CHARACTERS = 400


class ScriptEndedError(AssertionError):
    """A scripted model was asked more often than its script has replies, which is a fault of the script."""


class Scripted:
    """A model whose replies are a list, taken in order, or a function of the prompt.

    Parameters:
        script: Replies in the order of the questions, or `(prompt) -> reply`. A `ModelError` among them is raised.
        name: Its name in logs.

    A function and this model can be sent to other processes; a list is not shared between processes.
    """

    def __init__(self, script: Sequence[Line] | Callable[[Prompt], Line], name: str = "scripted") -> None:
        self.name = name
        self.prompts: list[Prompt] = []
        """The prompts so far, in this process."""
        self.schemas: list[Mapping[str, Json] | None] = []
        """The JSON schema of each prompt."""
        self._script = script
        self._lock = Lock()

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in vars(self).items() if key != "_lock"}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state, _lock=Lock())

    def complete(
        self,
        prompt: Prompt,
        *,
        json_schema: Mapping[str, Json] | None = None,
        max_model_tokens: int | None = None,  # noqa: ARG002 - a script knows how long it is
        temperature: float = 0.0,  # noqa: ARG002
        seed: int | None = None,  # noqa: ARG002
    ) -> Reply:
        """Return the next reply of the script.

        Raises:
            ScriptEndedError: There is none left; the message quotes the prompt.
        """
        with self._lock:
            index = len(self.prompts)
            self.prompts.append(prompt)
            self.schemas.append(json_schema)
        line = self._script(prompt) if callable(self._script) else self._line(index, prompt)
        if isinstance(line, ModelError):
            raise line
        return self._reply(line, prompt) if isinstance(line, str) else line

    def _line(self, index: int, prompt: Prompt) -> Line:
        assert not callable(self._script)  # noqa: S101 - what `complete` looked at
        if index < len(self._script):
            return self._script[index]
        question = prompt_words(prompt)
        preview = question if len(question) <= _SHOWN_CHARACTERS else f"{question[:_SHOWN_CHARACTERS]}…"
        raise ScriptEndedError(
            f"the script has {len(self._script)} replies and question {index + 1} was asked: {preview}"
        )

    def _reply(self, text: str, prompt: Prompt) -> Reply:
        """Make a reply with words counted as model tokens, so that sums in tests are not all 0."""
        usage = Usage(len(prompt_words(prompt).split()), len(text.split()))
        return Reply(text, usage, self.name)


def prompt_words(prompt: Prompt) -> str:
    """Return all text of a prompt, message after message."""
    texts = [part.text for message in prompt.messages for part in message.parts if isinstance(part, Text)]
    return "\n".join(texts)
