"""What is on its way to a provider: messages of one role each, with what the provider alone understands beside them."""

from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompt import Json, Part, Role, Tool
from acdl_mkdocs.wire.results import Loss


@dataclass(frozen=True, slots=True)
class Wants:
    """What one provider wants of every prompt."""

    provider: str
    """Key of the format in `WIRES`."""
    has_ids: bool = True
    """Whether a call cannot do without an id."""
    id_pattern: str = r"(?s:.+)"
    tool_pattern: str = r"[A-Za-z0-9_-]{1,64}"
    has_order: bool = True
    """Whether the results of a call have to stand right behind it."""
    has_split_answers: bool = False
    """Whether several messages of the model in a row are one to the provider, so that results may stand behind all."""
    has_names: bool = False
    """Whether a message can say the name of who speaks."""
    has_message_ids: bool = False
    has_references: bool = False
    """Whether a message may only be named, since the provider has it."""
    has_signatures: bool = False
    """Whether a call can have a signature."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part, and what the provider says beside it."""

    path: str
    part: Part
    more: dict[str, Json] = field(default_factory=dict)
    instead: Json = None


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that has one role. `none` is a message that is as the provider wrote it."""

    path: str
    role: Role
    pieces: tuple[Piece, ...]
    name: str | None = None
    id: str | None = None
    more: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settled:
    """A prompt that is ready to be written."""

    messages: tuple[Sent, ...]
    tools: tuple[Tool, ...]
    """With long names of their parameters."""
    settings: dict[str, Json]
    losses: list[Loss]
    """Grows while the prompt is written."""
    has_memory: bool = False
    """Whether the first message begins with memory."""

    def lose(self, path: str, sentence: str, cure: str) -> None:
        """Say what the format cannot hold."""
        self.losses.append(Loss(path, sentence, cure))

    def advise(self, path: str, sentence: str, cure: str) -> None:
        """Say what the request needs, or why the provider may reject it, where nothing of the prompt is missing."""
        self.losses.append(Loss(path, sentence, cure, is_advice=True))
