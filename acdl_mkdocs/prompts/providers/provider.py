"""`Provider`: everything that is known of a format of requests; all lists, choices and menus are made of these."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.prompts.prompt import Json, Part, Prompt, Role
from acdl_mkdocs.prompts.providers.results import Loss, Problem, Read, Written

if TYPE_CHECKING:
    from acdl_mkdocs.prompts.providers.read_body import KnownMessages

Body: TypeAlias = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Custom:
    """What becomes of messages on the way to a provider."""

    is_system_apart: bool = False
    """Whether all system text stands beside the messages."""
    merging: frozenset[Role] = frozenset()
    """Roles whose neighbours may be one message."""
    is_in_items: bool = False
    """Whether one message of an assistant may be sent as several, which the provider takes as one."""
    has_thoughts: bool = False
    """Whether what a model thought is sent back to it."""
    is_system_unrecorded: bool = False
    """Whether system text before the first message may have been sent without being recorded."""


TWO_ROLES = Custom(is_system_apart=True, merging=frozenset(("user", "assistant")), is_in_items=True, has_thoughts=True)
"""Users and assistants take turns, and system text is apart."""


@dataclass(frozen=True, slots=True)
class Host:
    """A server whose clients can be given another address."""

    name: str
    upstream: str | None = None
    """Its address; `None` where it is another one for everybody."""
    variables: tuple[str, ...] = ()
    """What its clients, and programs that know many providers, read the address from."""
    keys: tuple[str, ...] = ()
    """Where clients look for a key; one of them is enough."""
    end: str = ""
    """What the address ends with, which some programs look at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A format of requests and their answers, both ways."""

    writer: Callable[[Prompt, str | None], Written]
    reader: Callable[..., Read]
    """Of a body; where `is_by_message`, also of the `KnownMessages` that it may begin with."""
    label: str = ""
    """What menus call a request."""
    is_by_message: bool = False
    """Whether it reads message by message, and `KnownMessages` once."""
    answers: str = ""
    """The module of its answers, where that is another one."""
    messages_key: str = ""
    """Key of the messages in a request."""
    address: str = ""
    """Where requests are sent; `{model}` in it is the model, which the body does not name then."""
    headers: tuple[str, ...] = ()
    """Headers of a request, with the key from a variable of the shell."""
    paths: tuple[str, ...] = ()
    """Patterns of how addresses of calls end, whoever serves them."""
    hosts: tuple[Host, ...] = ()
    """Who serves it, by the names that a recording knows."""
    is_sure: Callable[[Body], bool] = lambda _: False
    """Whether a body has what only its requests have."""
    is_likely: Callable[[Body], bool] = lambda _: False
    """Whether a body is its request, if it is nobody's surely and has no messages of a chat."""
    is_tool: Callable[[Body], bool] = lambda _: False
    """Whether a tool of an unknown list is written as it writes tools."""
    tool_key: str = "type"
    """Key of a tool that is declared; nothing where each may be one."""
    tools_of: Callable[[list[Json]], list[Json]] = lambda tools: tools
    """The tools of a list as they are in a request."""
    tool_choice: Callable[[str], Body] = lambda _: {}
    """What of a request makes the model call the tool of a name."""
    answer_messages: Callable[[Body], list[Json] | None] = lambda _: None
    """The messages of an answer as a later request has them; `None` where it is no whole answer."""
    is_streamed_as_list: bool = False
    """Whether an answer comes piece by piece as a list, unless events are asked for."""
    invalidates: Mapping[str, str] = field(default_factory=dict)
    """Parameters of a request, and what a cache has nothing of from there on when they change."""
    earlier_keys: tuple[str, ...] = ()
    """Keys of requests that say that the provider has earlier messages."""
    custom: Custom | None = None
    """What becomes of messages; `None` where they are sent as they are."""
    respelled: tuple[type[Part], ...] = ()
    """Parts that it has more than one spelling for."""
    block_keys: Mapping[type[Part], Collection[str]] = field(default_factory=dict)
    """Keys of a block that hold the call or the result itself, and may hold more than that."""

    @property
    def is_model_in_address(self) -> bool:
        """Whether the address of a request names the model, and not its body."""
        return "{model}" in self.address

    def write(self, prompt: Prompt, model: str | None = None) -> Written:
        """Write a request body for a prompt."""
        try:
            return self.writer(prompt, model)
        except RecursionError:
            return Written({}, (Loss("", "the prompt is nested too deeply to be written", "send fewer levels"),))

    def read(self, body: Json, known: "KnownMessages | None" = None) -> Read:
        """Read what a request body says.

        Parameters:
            body: The body.
            known: What was read of the body before, whose messages this one may begin with.
        """
        try:
            return self.reader(body, known) if self.is_by_message else self.reader(body)
        except RecursionError:
            return Read(Prompt(()), (Problem("", "the body is nested too deeply to be read", "send fewer levels"),))


class Formats(Mapping[str, Provider]):
    """Formats by their names. The module of one is imported when it is first asked for more than its name."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self.modules = modules
        """By name."""

    def __getitem__(self, name: str) -> Provider:
        provider: Provider = import_module(f"acdl_mkdocs.prompts.providers.{self.modules[name]}").PROVIDER
        return provider

    def __contains__(self, name: object) -> bool:
        return name in self.modules

    def __iter__(self) -> Iterator[str]:
        return iter(self.modules)

    def __len__(self) -> int:
        return len(self.modules)


PROVIDERS = Formats(
    {
        "openai": "chat_completions",
        "responses": "responses",
        "anthropic": "anthropic",
        "gemini": "gemini",
    }
)
"""What can be sent to somebody."""
WIRES = Formats({**PROVIDERS.modules, "pml": "pml"})
