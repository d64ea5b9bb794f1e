"""`Conversation`: a conversation from a transcript, from which the requests that were sent are rebuilt.

A transcript has no requests, but each answer of the model was given to one: to everything that came before it. Messages
are read once, when the next answer needs them, so the time is linear in the length of a conversation.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json, Message, Prompt
from acdl_mkdocs.prompts.providers import PROVIDERS
from acdl_mkdocs.runs.read.recorded import Found, Incomplete, Origin, Recorded, Skipped


@dataclass(frozen=True, slots=True)
class Entry:
    """A message or an item of a conversation, in the format of a provider."""

    json: dict[str, Json]
    answer: str | None = None
    """Name of the answer of the model that it belongs to; `None` for input."""
    id: str = ""
    """Its name in the transcript."""


def list_messages(entries: Sequence[Entry]) -> list[Json]:
    """Return the messages of entries, one by one."""
    return [entry.json for entry in entries]


@dataclass(slots=True)
class Conversation:
    """A conversation so far, and the request whose answer is being read."""

    format: str
    """Key in `PROVIDERS`."""
    incomplete: Incomplete
    episode: str | None = None
    model: str | None = None
    join: Callable[[Sequence[Entry]], list[Json]] = list_messages
    """Makes messages of entries, where several are one message."""
    reply_of: Callable[[list[Json]], Json] | None = None
    """Makes an answer as the provider gives it from its messages."""
    entries: list[Entry] = field(default_factory=list)
    is_cut: bool = False
    """Whether the beginning is missing, so that no request can be rebuilt."""
    _head: Prompt = field(default_factory=lambda: Prompt(()))
    _messages: tuple[Message, ...] = ()
    _n_read: int = 0
    _pending_request: Recorded | None = None
    """The request whose answer is being read."""
    _answer: list[Entry] = field(default_factory=list)
    _skipped_answer: str | None = None
    """Name of the last answer whose request cannot be rebuilt."""

    def set_head(self, head: dict[str, Json]) -> None:
        """Set what each request has beside its messages: instructions and tools."""
        self._head = PROVIDERS[self.format].read({self._messages_key: [], **head}).prompt

    def add_entry(self, entry: Entry) -> None:
        """Add input for the model."""
        self.entries.append(entry)

    def add_reply(self, entry: Entry, origin: Origin) -> Iterator[Found]:
        """Add a part of an answer. Yields the request before, if a new answer begins."""
        self.is_cut = self.is_cut or not self.entries
        if self.is_cut:
            reason = "a reply in a conversation whose beginning is not recorded"
            if entry.answer != self._skipped_answer:
                yield Skipped(origin, reason, cure="use the complete transcript", is_damaged=True)
            self._skipped_answer = entry.answer
            self.entries.append(entry)
            return
        if self._pending_request is None or entry.answer != self._answer[0].answer:
            yield from self.close_request()
            self._pending_request = self._build_request(origin)
        self._answer.append(entry)
        self.entries.append(entry)

    def close_request(self) -> Iterator[Recorded]:
        """Yield the request whose answer was read, if there is one."""
        if self._pending_request is not None:
            reply = None if self.reply_of is None else self.reply_of(self.join(self._answer))
            yield replace(self._pending_request, reply=reply, model=self._pending_request.model or self.model)
        self._pending_request, self._answer = None, []

    def replace_entries(self, entries: list[Entry]) -> None:
        """Replace all entries so far."""
        self.is_cut = self.is_cut and bool(entries) and entries[0] is self.entries[0]
        self.entries = entries
        self._messages, self._n_read = (), 0

    @property
    def _messages_key(self) -> str:
        return PROVIDERS[self.format].messages_key

    def _build_request(self, origin: Origin) -> Recorded:
        read = PROVIDERS[self.format].read({self._messages_key: self.join(self.entries[self._n_read :])})
        self._n_read = len(self.entries)
        self._messages = (*self._messages, *read.prompt.messages)
        prompt = replace(self._head, messages=(*self._head.messages, *self._messages))
        problems = tuple(replace(each, path="") for each in read.problems)
        return Recorded(
            prompt, self.format, origin, None, self.episode, self.model, None, None, problems, self.incomplete
        )
