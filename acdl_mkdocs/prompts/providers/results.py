"""Results of writing and reading requests, and messages on their way to a provider."""

from dataclasses import field

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json, Part, Prompt, Role, Tool


@dataclass(frozen=True, slots=True)
class Loss:
    """Content of a prompt that a request cannot hold, or that had to be filled in or changed for it."""

    path: str
    """Path in the prompt: `messages[2].parts[0]`, or empty for the whole prompt."""
    sentence: str
    """Why it is lost, or what was changed; lower case, no full stop."""
    cure: str
    """What to change in the prompt; empty if there is nothing to do."""
    is_advice: bool = False
    """Whether nothing of the prompt is missing: the request needs more, or the provider may reject it."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a request that does not follow its format."""

    path: str
    """Path in the request: `messages[3].tool_calls[0].function.arguments`, or empty for the whole request."""
    sentence: str
    """What was found, and what was expected."""
    cure: str
    is_advice: bool = False
    """Whether all of it is read unchanged: the provider may reject it."""


@dataclass(frozen=True, slots=True)
class Written:
    """A request body or a document, and the content of the prompt that it lacks."""

    body: Json
    """An object, or the text of a document for `pml`."""
    losses: tuple[Loss, ...] = ()

    @property
    def request(self) -> dict[str, Json]:
        """The body of a request, which is always an object; empty for a document."""
        return self.body if isinstance(self.body, dict) else {}


@dataclass(frozen=True, slots=True)
class Read:
    """The content of a request body; what does not follow the format is a problem, and kept if possible."""

    prompt: Prompt
    problems: tuple[Problem, ...] = ()
    model: str | None = None
    """Name of the model, where the body has it."""


@dataclass(frozen=True, slots=True)
class ProviderLimits:
    """The requirements of one provider for every prompt."""

    provider: str
    """Key of the format in `WIRES`."""
    has_ids: bool = True
    """Whether a call needs an id."""
    id_pattern: str = r"(?s:.+)"
    tool_pattern: str = r"[A-Za-z0-9_-]{1,64}"
    has_order: bool = True
    """Whether the results of a call must be right after it."""
    has_split_answers: bool = False
    """Whether the provider joins several messages of the model in a row, so that results may follow all of them."""
    has_names: bool = False
    """Whether a message can have the name of its author."""
    has_message_ids: bool = False
    has_references: bool = False
    """Whether a message may be a reference to one stored by the provider."""
    has_signatures: bool = False
    """Whether a call can have a signature."""


@dataclass(frozen=True, slots=True)
class ProviderPart:
    """A part, and the provider's further data about it."""

    path: str
    part: Part
    more: dict[str, Json] = field(default_factory=dict)
    instead: Json = None


@dataclass(frozen=True, slots=True)
class ProviderMessage:
    """A message that has one role. `none` is a message that is as the provider wrote it."""

    path: str
    role: Role
    pieces: tuple[ProviderPart, ...]
    name: str | None = None
    id: str | None = None
    more: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AdaptedPrompt:
    """A prompt that is ready to be written."""

    provider: str
    """Key of the format in `WIRES`."""
    messages: tuple[ProviderMessage, ...]
    tools: tuple[Tool, ...]
    """With long names of their parameters."""
    settings: dict[str, Json]
    losses: list[Loss]
    """Losses, collected while the prompt is written."""
    has_memory: bool = False
    """Whether the first message begins with memory."""

    def report_loss(self, path: str, sentence: str, cure: str) -> None:
        """Report what the format cannot hold."""
        self.losses.append(Loss(path, sentence, cure))

    def report_advice(self, path: str, sentence: str, cure: str) -> None:
        """Report what the request needs, or why the provider may reject it, if nothing of the prompt is missing."""
        self.losses.append(Loss(path, sentence, cure, is_advice=True))
