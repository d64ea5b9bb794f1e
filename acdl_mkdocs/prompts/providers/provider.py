"""`Provider`: everything about a format of requests; all lists, choices and menus derive from it."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
class ProviderCustom:
    """The changes of messages on the way to a provider."""

    is_system_apart: bool = False
    """Whether all system text is sent beside the messages."""
    merging: frozenset[Role] = frozenset()
    """Roles whose neighbours may be one message."""
    is_in_items: bool = False
    """Whether one message of an assistant may be sent as several, which the provider joins."""
    has_thoughts: bool = False
    """Whether the thinking of a model is sent back to it."""
    is_system_unrecorded: bool = False
    """Whether system text before the first message may have been sent without being recorded."""


TWO_ROLES = ProviderCustom(
    is_system_apart=True, merging=frozenset(("user", "assistant")), is_in_items=True, has_thoughts=True
)
"""Users and assistants take turns, and system text is apart."""


@dataclass(frozen=True, slots=True)
class Host:
    """A server whose clients can use another address."""

    name: str
    upstream: str | None = None
    """Its address; `None` if each customer has another one."""
    variables: tuple[str, ...] = ()
    """The variables from which its clients, and programs for many providers, read the address."""
    keys: tuple[str, ...] = ()
    """The variables in which clients look for a key; one of them is enough."""
    end: str = ""
    """The end of the address, which some programs check."""


def _describe_model(name: str) -> Body:
    """Answer as OpenAI and those do that imitate it."""
    return {"id": name, "object": "model", "created": 0, "owned_by": ""} if name else {"object": "list", "data": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A format of requests and their answers, in both directions."""

    writer: Callable[[Prompt, str | None], Written]
    reader: Callable[..., Read]
    """Reads a body; if `is_by_message`, with the `KnownMessages` that it may begin with."""
    label: str = ""
    """The name of a request in menus."""
    is_by_message: bool = False
    """Whether it reads message by message, and `KnownMessages` once."""
    answers: str = ""
    """The module of its answers, if it is another one."""
    messages_key: str = ""
    """Key of the messages in a request."""
    address: str = ""
    """The address of requests; `{model}` in it is the model, which the body does not name then."""
    headers: tuple[str, ...] = ()
    """Headers of a request, with the key from a variable of the shell."""
    paths: tuple[str, ...] = ()
    """Patterns of the ends of addresses for calls, on any server."""
    hosts: tuple[Host, ...] = ()
    """The servers that accept it, by their names in recordings."""
    complete_body: Callable[[Body, bool], Body] = lambda body, _: body
    """Returns the request that client packages send for a body, which they take in a shorter form too; whether the body
    is known to be its own."""
    is_sure: Callable[[Body], bool] = lambda _: False
    """Whether a body has what only its requests have."""
    is_likely: Callable[[Body], bool] = lambda _: False
    """Whether a body is its request, if it surely is of no provider and has no messages of a chat."""
    weigh_chat: Callable[[Body, Sequence[Body]], int] = lambda *_: 0
    """How surely a chat, a body with `messages`, is its request, by these and by its tools; 0 if nothing shows it."""
    count_own_keys: Callable[[Body], int] = lambda _: 0
    """How many other keys of a chat only its requests have."""
    is_likely_chat: Callable[[Body], bool] = lambda _: False
    """Whether a chat that means the same in several formats is its request."""
    is_tool: Callable[[Body], bool] = lambda _: False
    """Whether a tool of an unknown list has its form."""
    tool_key: str = "type"
    """Key of a declared tool; empty if every tool may be one."""
    list_request_tools: Callable[[list[Json]], list[Json]] = lambda tools: tools
    """Returns the tools of a list in the form of a request."""
    tool_choice: Callable[[str], Body] = lambda _: {}
    """Returns the keys of a request that make the model call the tool of a name."""
    answer_messages: Callable[[Body], list[Json] | None] = lambda _: None
    """Returns the messages of an answer in the form of a later request; `None` if it is not a whole answer."""
    describe_model: Callable[[str], Body] = _describe_model
    """Returns the answer about the model of a name; without a name about all models, of which there are none."""
    is_streamed_as_list: bool = False
    """Whether an answer is streamed as a list, unless the client asks for events."""
    invalidates: Mapping[str, str] = field(default_factory=dict)
    """Parameters of a request, and the part of the prompt from which a change of them makes a cache useless."""
    earlier_keys: tuple[str, ...] = ()
    """Keys of requests that refer to earlier messages stored by the provider."""
    earlier_answer_key: str = ""
    """The one of them that has the `id` of the answer that the messages follow."""
    custom: ProviderCustom | None = None
    """The changes of messages; `None` if they are sent unchanged."""
    respelled: tuple[type[Part], ...] = ()
    """Parts that it spells in more than one way."""
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
            return Written({}, (Loss("", "the prompt is nested too deeply to be written", "reduce the nesting"),))

    def read(self, body: Json, earlier: "KnownMessages | None" = None) -> Read:
        """Read a request body.

        Parameters:
            body: The body.
            earlier: Messages of the previous body, which this one may begin with.
        """
        try:
            return self.reader(body, earlier) if self.is_by_message else self.reader(body)
        except RecursionError:
            return Read(Prompt(()), (Problem("", "the body is nested too deeply to be read", "reduce the nesting"),))


class Formats(Mapping[str, Provider]):
    """Formats by their names. A module is imported at the first use of its format."""

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
