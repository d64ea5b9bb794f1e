"""The elements and attributes of PML 1 and LAIC 1 as one table, from which everything else is derived."""

from functools import cached_property
from typing import TypeAlias

from acdl_mkdocs.foundation.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute that an element may have."""

    name: str
    summary: str
    is_required: bool = False
    choices: tuple[str, ...] = ()
    """The only values that it may have, if they are restricted."""
    pattern: str | None = None
    """A regular expression that the whole value has to match; of the kind that Python and XML Schema both read."""
    example: str = ""
    """A value, where the pattern needs one to be understood."""


@dataclass(frozen=True, slots=True)
class Some:
    """A number of elements of these kinds, in any order."""

    kinds: tuple[str, ...]
    least: int = 0
    most: int | None = None
    """`None` for any number."""


@dataclass(frozen=True, slots=True)
class Maybe:
    """All of these steps, or none."""

    steps: tuple[Some, ...]


Step: TypeAlias = Some | Maybe


NAMESPACE = "urn:acdl-mkdocs:pml:1"
"""Of the extension elements and attributes, which this package always writes with the prefix `x`."""
ROOTS = ("prompt", "conversation", "memory", "tools")

NUMBER = "[1-9][0-9]{0,8}"
TYPE = "(string|integer|number|boolean|object|array|null|any)(\\[\\])*"


@dataclass(frozen=True)
class Kind:
    """The allowed content of an element; `content` in `memory` is another kind than in `attachment`."""

    key: str
    """Its name in other kinds."""
    name: str
    """How it is written."""
    summary: str
    attributes: tuple[Attribute, ...] = ()
    has_any_attribute: bool = False
    """Whether attributes of any other name are allowed too: those of a call are arguments."""
    is_text: bool = False
    """Whether it may have text instead of elements."""
    models: tuple[tuple[Step, ...], ...] = ((),)
    """Possible orders of its elements."""
    extensions: tuple[str, ...] = ()
    """Extension elements that may occur anywhere among its elements."""
    extension_attributes: tuple[Attribute, ...] = ()

    @cached_property
    def children(self) -> dict[str, str]:
        """Name and kind of every element that it may contain, including extensions."""
        steps = [step for model in self.models for step in model]
        somes = [some for step in steps for some in (step.steps if isinstance(step, Maybe) else (step,))]
        kinds = [kind for some in somes for kind in some.kinds]
        return {KINDS[kind].name: kind for kind in (*kinds, *self.extensions)}

    @cached_property
    def kinds(self) -> dict[str, "Kind"]:
        """The kind of every element that it may contain, by its name."""
        return {name: KINDS[key] for name, key in self.children.items()}

    @cached_property
    def known(self) -> dict[str, Attribute]:
        """Every attribute by its name, including those of extensions."""
        return {each.name: each for each in (*self.attributes, *self.extension_attributes)}

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The required attributes."""
        return tuple(each.name for each in self.attributes if each.is_required)


_WHO = (Attribute("name", "who it is"), Attribute("id", "how segments are found again"))
_ENCODING = Attribute(
    "encoding", "`json`: the text is a JSON string, for characters that XML cannot hold", choices=("json",)
)
_FLAG = ("1", "0")
_TURN = Attribute(
    "x:turn", "number of its turn, where that of the element around it is another", pattern="-?[0-9]{1,9}"
)
_CLOSED = Attribute("closed", "`1`: no other keys than these", choices=_FLAG)


def _role(role: str) -> Attribute:
    return Attribute("role", "says the name of the element again", choices=(role,))


_PARTS = ("text", "thinking", "attachment", "call", "tool_output")
_ALL = (
    Kind(
        "prompt",
        "prompt",
        "everything that one call of a model is given",
        (Attribute("version", "of PML", choices=("1",)),),
        models=((Some(("memory",), 0, 1), Some(("tools",), 0, 1), Some(("conversation",), 1, 1)),),
        extensions=("x:opaque",),
    ),
    Kind(
        "memory",
        "memory",
        "what is remembered across conversations",
        (Attribute("id", "how segments are found again"),),
        models=((Some(("fact", "summary", "memory-content")),),),
    ),
    Kind("fact", "fact", "something known", (Attribute("key", "what it is about"), _ENCODING), is_text=True),
    Kind(
        "summary", "summary", "what happened before", (Attribute("label", "what it is about"), _ENCODING), is_text=True
    ),
    Kind(
        "memory-content",
        "content",
        "something else that is remembered",
        (Attribute("label", "what it is about"), _ENCODING),
        is_text=True,
    ),
    Kind(
        "conversation",
        "conversation",
        "the messages, in turns",
        (Attribute("id", "of the conversation"), Attribute("topic", "what it is about")),
        models=((Some(("system", "turn")),),),
        extensions=("x:message",),
    ),
    Kind(
        "turn",
        "turn",
        "a message of the user and what follows, or the next step of an agent",
        (Attribute("index", "its number; never less than that of the turn before", pattern=NUMBER, example="1"),),
        models=(
            (
                Some(("system", "tool_output")),
                Maybe((Some(("user", "assistant"), 1, 1), Some(("assistant", "system", "tool_output")))),
            ),
        ),
        extensions=("x:message",),
    ),
    Kind(
        "user",
        "user",
        "a message of the user",
        (_role("user"), *_WHO),
        models=((Some(("text", "attachment")),),),
        extensions=("x:opaque",),
        extension_attributes=(_TURN,),
    ),
    Kind(
        "assistant",
        "assistant",
        "an answer of the model; calls are its end",
        (_role("assistant"), *_WHO),
        models=((Some(("thinking", "text", "attachment", "tool_output")), Some(("call",))),),
        extensions=("x:opaque",),
        extension_attributes=(_TURN,),
    ),
    Kind(
        "system",
        "system",
        "instructions, or a reminder",
        (_role("system"), *_WHO),
        models=((Some(("text", "attachment", "tool_output")),),),
        extensions=("x:opaque",),
        extension_attributes=(_TURN,),
    ),
    Kind("text", "text", "words", (_ENCODING,), is_text=True),
    Kind(
        "thinking",
        "thinking",
        "what the model thought",
        (
            Attribute("signature", "opaque data of a provider, kept as it is"),
            Attribute("redacted", "`1`: the text is opaque data of a provider", choices=_FLAG),
            _ENCODING,
        ),
        is_text=True,
        extension_attributes=(Attribute("x:provider", "wire format that signature and redacted text belong to"),),
    ),
    Kind(
        "attachment",
        "attachment",
        "a file, an image, or anything else that is given along",
        (
            Attribute("type", "`file`, `image`, `doc` and so on; an open list", True),
            Attribute("name", "how it is called"),
            Attribute("path", "where it is from"),
            Attribute("id", "how segments are found again"),
            Attribute("mime", "media type"),
            Attribute("href", "address, which is never fetched"),
        ),
        is_text=True,
        models=((Some(("content",), 0, 1),),),
        extension_attributes=(Attribute("x:text", "its text, where `content` has its data"),),
    ),
    Kind(
        "content",
        "content",
        "the text or the data of an attachment",
        (
            Attribute(
                "encoding",
                "`base64`: data; `json`: a JSON string, for characters of text that XML cannot hold",
                choices=("base64", "json"),
            ),
            Attribute("mime", "media type"),
        ),
        is_text=True,
    ),
    Kind(
        "tool_output",
        "tool_output",
        "what a tool answered",
        (
            Attribute("id", "that of the call that it answers"),
            Attribute("name", "of the tool"),
            Attribute("status", "`error` where the tool failed", choices=("ok", "error")),
            Attribute("mime", "media type of its text"),
        ),
        is_text=True,
        models=((Some(("output-content", "attachment")),),),
        extensions=("x:opaque",),
        extension_attributes=(
            Attribute("x:joined", "`1`: of the same message as the output before it", choices=_FLAG),
            _TURN,
        ),
    ),
    Kind(
        "output-content",
        "content",
        "a text among others that a tool answered",
        (_ENCODING,),
        is_text=True,
    ),
    Kind(
        "call",
        "call",
        "a tool that the model asks for; every other attribute is an argument",
        (Attribute("name", "of the tool", True), Attribute("id", "that its result names")),
        has_any_attribute=True,
        models=((Some(("arg",)),),),
        extension_attributes=(
            Attribute("x:raw", "the arguments as a provider spelled them"),
            Attribute("x:signature", "opaque data of a provider, kept as it is"),
        ),
    ),
    Kind(
        "arg",
        "arg",
        "an argument that an attribute cannot hold",
        (
            Attribute("key", "its name; without one the text is the JSON object of all arguments"),
            Attribute("type", "whether the text is the value or JSON of it", choices=("string", "json")),
        ),
        is_text=True,
    ),
    Kind("tools", "tools", "the tools that the model may call", models=((Some(("tool",)),),)),
    Kind(
        "tool",
        "tool",
        "a tool",
        (
            Attribute("name", "what calls name; best a short code", True),
            Attribute("alias", "its long name, where `name` is a short code"),
            Attribute("desc", "what it does"),
            Attribute("trigger", '`1`: the user may ask for it with `[#name: "..."]`', choices=_FLAG),
            _CLOSED,
        ),
        models=((Some(("param",)),), (Some(("schema",), 1, 1),)),
        extensions=("x:opaque",),
    ),
    Kind(
        "param",
        "param",
        "a parameter of a tool, or a key of one that is an object",
        (
            Attribute("key", "its name", True),
            Attribute("alias", "its long name, where `key` is a short one"),
            Attribute(
                "type", "a type of JSON Schema, `[]` behind it for a list of such", pattern=TYPE, example="string"
            ),
            Attribute("req", "`1`: it has to be given", choices=_FLAG),
            Attribute("enum", "the values that it may have: a JSON list, or separated by `|`"),
            Attribute("default", "JSON of the value that it has when it is not given"),
            Attribute("format", "as in JSON Schema"),
            Attribute("values", "type of the values of an object whose keys are free", pattern=TYPE, example="string"),
            Attribute("desc", "what it is"),
            _CLOSED,
        ),
        models=((Some(("param",)),), (Some(("schema",), 1, 1),)),
    ),
    Kind("schema", "schema", "JSON Schema of all parameters, where `param` cannot say it", is_text=True),
    Kind(
        "x:message",
        "x:message",
        "a message of which the grammar has no kind",
        (
            Attribute("role", "of the message", True, choices=("system", "user", "assistant", "tool", "none")),
            *_WHO,
        ),
        models=((Some(_PARTS),),),
        extensions=("x:opaque",),
        extension_attributes=(_TURN,),
    ),
    Kind(
        "x:opaque",
        "x:opaque",
        "JSON that one provider alone understands",
        (
            Attribute("provider", "name of its wire format", True),
            Attribute("place", "what it belongs to", choices=("part", "more", "instead", "message")),
        ),
        is_text=True,
    ),
)
KINDS = {kind.key: kind for kind in _ALL}
"""Every kind of element by its key."""
ELEMENT_NAMES = frozenset(kind.name for kind in _ALL)
