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
class MessageLayout:
    """How a provider lays out the messages of a prompt in a request."""

    is_system_apart: bool = False
    """Whether all system text is sent beside the messages, under another key."""
    merging: frozenset[Role] = frozenset()
    """Roles of which several messages in a row may be sent as one."""
    is_in_items: bool = False
    """Whether one message of an assistant may be sent as several items, which the provider joins."""
    has_thoughts: bool = False
    """Whether the thinking of a model is sent back to it."""
    is_system_unrecorded: bool = False
    """Whether system text before the first message may have been sent without being recorded."""


TWO_ROLES = MessageLayout(
    is_system_apart=True, merging=frozenset(("user", "assistant")), is_in_items=True, has_thoughts=True
)
"""The layout of providers that want users and assistants to take turns, and system text beside the messages."""


@dataclass(frozen=True, slots=True)
class Host:
    """A server whose clients can use another address."""

    name: str
    upstream: str | None = None
    """Its address; `None` if each customer has another one."""
    variables: tuple[str, ...] = ()
    """Environment variables from which its clients, and programs for many providers, read the address."""
    keys: tuple[str, ...] = ()
    """Environment variables in which clients look for a key; one of them is enough."""
    end: str = ""
    """End that the address must have for some programs: `/v1`."""


def _describe_model(name: str) -> Body:
    """Describe a model, or list no models, as OpenAI and servers that imitate it do."""
    return {"id": name, "object": "model", "created": 0, "owned_by": ""} if name else {"object": "list", "data": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A format of requests and their answers, in both directions."""

    writer: Callable[[Prompt, str | None], Written]
    """Writes the request for a prompt and the name of a model."""
    reader: Callable[..., Read]
    """Reads the body of a request; it never raises. Called as `reader(body)`, or, if `is_by_message`, as
    `reader(body, earlier)` with the `KnownMessages` that the body may begin with, or `None`."""
    label: str = ""
    """Name of a request in menus."""
    is_by_message: bool = False
    """Whether `reader` takes `KnownMessages` as well, so that messages of the previous body are read only once."""
    answers: str = ""
    """Module in `prompts/providers/` with the five functions of `ResponseFormat`; empty: the module of the provider
    itself."""
    messages_key: str = ""
    """Key of a request under which the list of messages is."""
    address: str = ""
    """Address of requests; `{model}` in it is replaced by the name of the model, which the body then leaves out."""
    headers: tuple[str, ...] = ()
    """Headers of a request, each as `Name: value`, with the key from a variable of the shell: `${LAKE_API_KEY:?}`."""
    paths: tuple[str, ...] = ()
    """Regular expressions that find the end of an address to which requests are sent, on any server."""
    hosts: tuple[Host, ...] = ()
    """The servers that accept it, by their names in recordings."""
    complete_body: Callable[[Body, bool], Body] = lambda body, _: body
    """Returns the request that client packages send for a body, which they also take in shorter forms. Called as
    `complete_body(body, is_own)`, where `is_own` is whether the body is known to be this provider's."""
    is_sure: Callable[[Body], bool] = lambda _: False
    """Whether a body has what only its requests have. The first provider in `PROVIDERS` that is sure is used."""
    is_likely: Callable[[Body], bool] = lambda _: False
    """Whether a body may be its request; asked only if no provider is sure and the body has no list of `messages`."""
    weigh_chat: Callable[[Body, Sequence[Body]], int] = lambda *_: 0
    """Scores, 0 or more (0: no evidence), how likely a chat body, one with a list of `messages`, is this provider's, by
    its messages, tools and instructions. Called as `weigh_chat(body, messages)`; the highest score wins; a tie decides
    nothing. Only providers whose `messages_key` is `messages` are asked."""
    count_own_keys: Callable[[Body], int] = lambda _: 0
    """Counts the keys of a chat body that only its requests have. Asked if `weigh_chat` decides nothing; the highest
    count wins; a tie decides nothing."""
    is_likely_chat: Callable[[Body], bool] = lambda _: False
    """Whether a chat body is its request although nothing in it is special. Asked last, in the order of `PROVIDERS`:
    the first that agrees is used, or else the first provider of chats."""
    is_tool: Callable[[Body], bool] = lambda _: False
    """Whether a tool of an unknown list has its form."""
    is_message: Callable[[Body], bool] = lambda _: False
    """Whether a message of an unknown list has its form; only of providers whose `messages_key` is not `messages`."""
    tool_key: str = "type"
    """Key that every tool of a request has; empty if there is none."""
    list_request_tools: Callable[[list[Json]], list[Json]] = lambda tools: tools
    """Returns the value of the key `tools` of a request for a list of tools."""
    tool_choice: Callable[[str], Body] = lambda _: {}
    """Returns the keys of a request that make the model call the tool with a name."""
    answer_messages: Callable[[Body], list[Json] | None] = lambda _: None
    """Returns the messages of an answer as a later request repeats them; `None` if the answer is not complete."""
    describe_model: Callable[[str], Body] = _describe_model
    """Returns the answer to a question about the model with a name; for an empty name, a list of no models."""
    is_streamed_as_list: bool = False
    """Whether an answer is streamed as a JSON list, unless the client asks for events with `alt=sse`."""
    cache_invalidating_parameters: Mapping[str, str] = field(default_factory=dict)
    """Keys of a request, each with the part of the prompt from which on a changed value makes a prompt cache useless:
    `tools`, `system` or `messages`."""
    earlier_keys: tuple[str, ...] = ()
    """Keys of requests that refer to earlier messages stored by the provider."""
    earlier_answer_key: str = ""
    """The one of `earlier_keys` that has the `id` of the answer that the messages follow; empty if there is none."""
    layout: MessageLayout | None = None
    """How messages are laid out; `None` if they are sent unchanged."""
    respelled: tuple[type[Part], ...] = ()
    """Parts that its requests spell in more than one way."""
    block_keys: Mapping[type[Part], Collection[str]] = field(default_factory=dict)
    """Keys of a block, for calls and for results, that hold the call or the result itself, and may hold more."""

    @property
    def is_model_in_address(self) -> bool:
        """Whether the address of a request names the model, and not its body."""
        return "{model}" in self.address

    def write(self, prompt: Prompt, model: str | None = None) -> Written:
        """Write a request body for a prompt; a prompt that is nested too deeply is reported as a loss."""
        try:
            return self.writer(prompt, model)
        except RecursionError:
            return Written({}, (Loss("", "the prompt is nested too deeply to be written", "reduce the nesting"),))

    def read(self, body: Json, known_messages: "KnownMessages | None" = None) -> Read:
        """Read a request body; one that is nested too deeply is reported as a problem.

        Parameters:
            body: The body.
            known_messages: Messages of the previous body, which this one may begin with.
        """
        try:
            return self.reader(body, known_messages) if self.is_by_message else self.reader(body)
        except RecursionError:
            return Read(Prompt(()), (Problem("", "the body is nested too deeply to be read", "reduce the nesting"),))


class Formats(Mapping[str, Provider]):
    """Formats by name; the module of a format is imported when the format is first used."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self.modules = modules
        """Names of modules in `prompts/providers/`, by name of the format."""

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
"""Formats of requests to a model API, in the order in which `sniff` asks them: name of the format, and its module."""
WIRES = Formats({**PROVIDERS.modules, "pml": "pml"})
"""The formats of `PROVIDERS`, and PML, which no provider accepts."""
