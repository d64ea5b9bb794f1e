"""Formats of prompts, one module each: the requests of `PROVIDERS`, and PML documents; `WIRES` lists them all.

A module has one `Provider` with everything that is known of its format; all lists, choices and menus are made of these.
What a format cannot hold is in `Written.losses`, what is not as the format says is in `Read.problems`; neither ever
raises because of what a prompt or a body says.
"""

from acdl_mkdocs.prompts.providers.provider import PROVIDERS, WIRES, Provider
from acdl_mkdocs.prompts.providers.results import Loss, Problem, Read, Written
from acdl_mkdocs.prompts.providers.sniff import sniff

if TYPE_CHECKING:
    from acdl_mkdocs.prompts.providers.read_body import KnownMessages

Write: TypeAlias = Callable[[Prompt, str | None], Written]
ToolChoice: TypeAlias = Callable[[str], dict[str, Json]]


def _choose_nothing(name: str) -> dict[str, Json]:
    del name
    return {}


@dataclass(frozen=True, slots=True)
class Wire:
    """A format, both ways."""

    module: str
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
    tool_choice: ToolChoice = _choose_nothing
    """Returns the keys of a request that make the model call the tool of a name."""
    invalidates: Mapping[str, str] = field(default_factory=dict)
    """Parameters of a request, and the part of the prompt from which a change of them makes a cache useless."""
    earlier_keys: tuple[str, ...] = ()
    """Keys of requests that refer to earlier messages stored by the provider."""

    @property
    def is_model_in_address(self) -> bool:
        """Whether the address of a request names the model, and not its body."""
        return "{model}" in self.address

    def write(self, prompt: Prompt, model: str | None = None) -> Written:
        """Write a request body for a prompt."""
        try:
            written: Written = import_module(f"acdl_mkdocs.prompts.providers.{self.module}").write(prompt, model)
        except RecursionError:
            return Written({}, (Loss("", "the prompt is nested too deeply to be written", "send fewer levels"),))
        return written

    def read(self, body: Json, known: "KnownMessages | None" = None) -> Read:
        """Read a request body.

        Parameters:
            body: The body.
            known: Messages of the previous body, which this one may begin with.
        """
        more = (known,) if self.is_by_message else ()
        try:
            read: Read = import_module(f"acdl_mkdocs.prompts.providers.{self.module}").read(body, *more)
        except RecursionError:
            return Read(Prompt(()), (Problem("", "the body is nested too deeply to be read", "send fewer levels"),))
        return read


PROVIDERS: Mapping[str, Wire] = {
    "openai": Wire(
        "chat_completions",
        is_by_message=True,
        messages_key="messages",
        address="https://api.openai.com/v1/chat/completions",
        headers=("Authorization: Bearer ${OPENAI_API_KEY:?}",),
        paths=(r"/chat/completions$",),
        tool_choice=lambda name: {"tool_choice": {"type": "function", "function": {"name": name}}},
        invalidates={"tools": "tools", "response_format": "system"},
    ),
    "responses": Wire(
        "responses",
        answers="responses_answers",
        messages_key="input",
        address="https://api.openai.com/v1/responses",
        headers=("Authorization: Bearer ${OPENAI_API_KEY:?}",),
        paths=(r"/responses$",),
        tool_choice=lambda name: {"tool_choice": {"type": "function", "name": name}},
        invalidates={"tools": "tools", "text": "system"},
        earlier_keys=("previous_response_id", "conversation"),
    ),
    "anthropic": Wire(
        "anthropic",
        is_by_message=True,
        messages_key="messages",
        address="https://api.anthropic.com/v1/messages",
        headers=("x-api-key: ${ANTHROPIC_API_KEY:?}", "anthropic-version: 2023-06-01"),
        paths=(r"/messages$", r":(?:streamRawPredict|rawPredict)$"),
        tool_choice=lambda name: {"tool_choice": {"type": "tool", "name": name}},
        invalidates={"tools": "tools", "tool_choice": "messages", "thinking": "messages", "output_config": "messages"},
    ),
    "gemini": Wire(
        "gemini",
        is_by_message=True,
        messages_key="contents",
        address="https://generativelanguage.googleapis.com/v1beta/models/{model}:generateContent",
        headers=("x-goog-api-key: ${GEMINI_API_KEY:?}",),
        paths=(r":(?:generateContent|streamGenerateContent)$",),
        tool_choice=lambda name: {
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}}
        },
        invalidates={"tools": "tools", "systemInstruction": "system"},
        earlier_keys=("cachedContent", "cached_content"),
    ),
}
"""Formats of requests to a provider."""
WIRES: Mapping[str, Wire] = {**PROVIDERS, "pml": Wire("pml")}

__all__ = ["PROVIDERS", "WIRES", "Loss", "Problem", "Read", "Wire", "Written", "sniff"]
