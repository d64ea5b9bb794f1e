"""What writing and reading a request gives: the body or the prompt, and everything that did not fit, as data."""

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompt import Json, Prompt


@dataclass(frozen=True, slots=True)
class Loss:
    """Something of a prompt that a request cannot hold, or that had to be filled in or changed for it."""

    path: str
    """Where in the prompt: `messages[2].parts[0]`, or nothing for the whole of it."""
    sentence: str
    cure: str
    is_advice: bool = False
    """Whether nothing of the prompt is missing: the request needs more, or the provider may reject what it says."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a request that is not as its format says."""

    path: str
    """Where in the request: `messages[3].tool_calls[0].function.arguments`, or nothing for the whole of it."""
    sentence: str
    """What is there, and what was expected."""
    cure: str
    is_advice: bool = False
    """Whether all of it is read as it is: the provider may reject it."""


@dataclass(frozen=True, slots=True)
class Written:
    """A request body or a document, and what of the prompt it does not say."""

    body: Json
    """An object, or the text of a document for `pml`."""
    losses: tuple[Loss, ...] = ()

    @property
    def request(self) -> dict[str, Json]:
        """The body of a request to a provider, which is always an object; of a document, nothing."""
        return self.body if isinstance(self.body, dict) else {}


@dataclass(frozen=True, slots=True)
class Read:
    """What a request body says; what could not be read as the format has it is a problem, and kept where it can be."""

    prompt: Prompt
    problems: tuple[Problem, ...] = ()
    model: str | None = None
    """Name of the model, where the body has it."""
