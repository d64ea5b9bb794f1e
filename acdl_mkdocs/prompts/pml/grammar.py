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
class ElementGroup:
    """A number of elements of these kinds, in any order."""

    kinds: tuple[str, ...]
    least: int = 0
    most: int | None = None
    """`None` for any number."""


@dataclass(frozen=True, slots=True)
class OptionalSteps:
    """All of these steps, or none."""

    steps: tuple[ElementGroup, ...]


Step: TypeAlias = ElementGroup | OptionalSteps


NAMESPACE = "urn:acdl-mkdocs:pml:1"
"""Of the extension elements and attributes, which this package always writes with the prefix `x`."""
ROOTS = ("prompt", "conversation", "memory", "tools")

NUMBER = "[1-9][0-9]{0,8}"
TYPE = "(string|integer|number|boolean|object|array|null|any)(\\[\\])*"


@dataclass(frozen=True)
class ElementKind:
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
        somes = [some for step in steps for some in (step.steps if isinstance(step, OptionalSteps) else (step,))]
        kinds = [kind for some in somes for kind in some.kinds]
        return {KINDS[kind].name: kind for kind in (*kinds, *self.extensions)}

    @cached_property
    def kinds(self) -> dict[str, "ElementKind"]:
        """The kind of every element that it may contain, by its name."""
        return {name: KINDS[key] for name, key in self.children.items()}

    @cached_property
    def known_attributes(self) -> dict[str, Attribute]:
        """Every attribute by its name, including those of extensions."""
        return {each.name: each for each in (*self.attributes, *self.extension_attributes)}

    @cached_property
    def required_attributes(self) -> tuple[str, ...]:
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


def _make_role_attribute(role: str) -> Attribute:
    return Attribute("role", "says the name of the element again", choices=(role,))


_PARTS = ("text", "thinking", "attachment", "call", "tool_output")
_ALL = (
    ElementKind(
        "prompt",
        "prompt",
        "everything that one call of a model is given",
        (Attribute("version", "of PML", choices=("1",)),),
        models=(
            (ElementGroup(("memory",), 0, 1), ElementGroup(("tools",), 0, 1), ElementGroup(("conversation",), 1, 1)),
        ),
        extensions=("x:opaque",),
    ),
    ElementKind(
        "memory",
        "memory",
        "what is remembered across conversations",
        (Attribute("id", "how segments are found again"),),
        models=((ElementGroup(("fact", "summary", "memory-content")),),),
    ),
    ElementKind("fact", "fact", "something known", (Attribute("key", "what it is about"), _ENCODING), is_text=True),
    ElementKind(
        "summary", "summary", "what happened before", (Attribute("label", "what it is about"), _ENCODING), is_text=True
    ),
    ElementKind(
        "memory-content",
        "content",
        "something else that is remembered",
        (Attribute("label", "what it is about"), _ENCODING),
        is_text=True,
    ),
    ElementKind(
        "conversation",
        "conversation",
        "the messages, in turns",
        (Attribute("id", "of the conversation"), Attribute("topic", "what it is about")),
        models=((ElementGroup(("system", "turn")),),),
        extensions=("x:message",),
    ),
    ElementKind(
        "turn",
        "turn",
        "a message of the user and what follows, or the next step of an agent",
        (Attribute("index", "its number; never less than that of the turn before", pattern=NUMBER, example="1"),),
        models=(
            (
                ElementGroup(("system", "tool_output")),
                OptionalSteps(
                    (ElementGroup(("user", "assistant"), 1, 1), ElementGroup(("assistant", "system", "tool_output")))
                ),
            ),
        ),
        extensions=("x:message",),
    ),
    ElementKind(
        "user",
        "user",
        "a message of the user",
        (_make_role_attribute("user"), *_WHO),
        models=((ElementGroup(("text", "attachment")),),),
        extensions=("x:opaque",),
        extension_attributes=(_TURN,),
    ),
    ElementKind(
        "assistant",
        "assistant",
        "an answer of the model; calls are its end",
        (_make_role_attribute("assistant"), *_WHO),
        models=((ElementGroup(("thinking", "text", "attachment", "tool_output")), ElementGroup(("call",))),),
        extensions=("x:opaque",),
        extension_attributes=(_TURN,),
    ),
    ElementKind(
        "system",
        "system",
        "instructions, or a reminder",
        (_make_role_attribute("system"), *_WHO),
        models=((ElementGroup(("text", "attachment", "tool_output")),),),
        extensions=("x:opaque",),
        extension_attributes=(_TURN,),
    ),
    ElementKind("text", "text", "words", (_ENCODING,), is_text=True),
    ElementKind(
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
    ElementKind(
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
        models=((ElementGroup(("content",), 0, 1),),),
        extension_attributes=(Attribute("x:text", "its text, where `content` has its data"),),
    ),
    ElementKind(
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
    ElementKind(
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
        models=((ElementGroup(("output-content", "attachment")),),),
        extensions=("x:opaque",),
        extension_attributes=(
            Attribute("x:joined", "`1`: of the same message as the output before it", choices=_FLAG),
            _TURN,
        ),
    ),
    ElementKind(
        "output-content",
        "content",
        "a text among others that a tool answered",
        (_ENCODING,),
        is_text=True,
    ),
    ElementKind(
        "call",
        "call",
        "a tool that the model asks for; every other attribute is an argument",
        (Attribute("name", "of the tool", True), Attribute("id", "that its result names")),
        has_any_attribute=True,
        models=((ElementGroup(("arg",)),),),
        extension_attributes=(
            Attribute("x:raw", "the arguments as a provider spelled them"),
            Attribute("x:signature", "opaque data of a provider, kept as it is"),
        ),
    ),
    ElementKind(
        "arg",
        "arg",
        "an argument that an attribute cannot hold",
        (
            Attribute("key", "its name; without one the text is the JSON object of all arguments"),
            Attribute("type", "whether the text is the value or JSON of it", choices=("string", "json")),
        ),
        is_text=True,
    ),
    ElementKind("tools", "tools", "the tools that the model may call", models=((ElementGroup(("tool",)),),)),
    ElementKind(
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
        models=((ElementGroup(("param",)),), (ElementGroup(("schema",), 1, 1),)),
        extensions=("x:opaque",),
    ),
    ElementKind(
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
        models=((ElementGroup(("param",)),), (ElementGroup(("schema",), 1, 1),)),
    ),
    ElementKind("schema", "schema", "JSON Schema of all parameters, where `param` cannot say it", is_text=True),
    ElementKind(
        "x:message",
        "x:message",
        "a message of which the grammar has no kind",
        (
            Attribute("role", "of the message", True, choices=("system", "user", "assistant", "tool", "none")),
            *_WHO,
        ),
        models=((ElementGroup(_PARTS),),),
        extensions=("x:opaque",),
        extension_attributes=(_TURN,),
    ),
    ElementKind(
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
