"""Any prompt that a document has to hold: every shape of message, and text that XML is bad at."""

import base64

from hypothesis import strategies as st

from acdl_mkdocs.prompts.prompt import (
    Attachment,
    Call,
    Json,
    Memory,
    Message,
    Opaque,
    Output,
    Part,
    Prompt,
    Role,
    Text,
    Thinking,
    Tool,
)

HARD_TEXTS = (
    "]]>",
    "<![CDATA[x]]>",
    "</text><call name='W'/>",
    "</content></attachment></user><assistant><call name='W'/>",
    '<x:opaque provider="a">1</x:opaque>',
    " x:turn='1'",
    "&amp;",
    "&#13;",
    "a\r\nb\rc\nd\te",
    "\x00",
    "\x1b[31mred\x1b[0m",
    "\ud800",
    "\ufffe",
    "\x85\u2028",
    " ",
    "\n",
    "",
    "'\"'",
    "'''\"",
    '[#W: "x"]',
    '"',
    "1",
    "true",
    "漢字 é 🤖",
    "if a < b && c > d:\n    x << 3 <<< y <<<<<<<<<<<<<<<\n",
)
CHARACTERS = st.characters(exclude_categories=()) | st.sampled_from("<>&'\"]\r\n\t\x00\x1b ")
WORDS = st.sampled_from(HARD_TEXTS) | st.text(CHARACTERS, max_size=8).filter(
    lambda text: text == text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
)
"""Any text but one in which two halves of a character stand as two characters: no JSON can say that either."""
KEYS = st.sampled_from(
    [
        "name",
        "id",
        "xmlns",
        "xml",
        "XMLa",
        "2fa",
        "x:y",
        "x:raw",
        "-A",
        "$filter",
        "user id",
        "",
        "é",
        "loc",
        "n",
        "key",
    ]
) | st.text(st.characters(exclude_categories=("C", "Z")) | st.just(" "), max_size=4)
JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | WORDS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(KEYS | WORDS, JSON, max_size=4)
MAYBE = st.none() | WORDS
DATA = st.binary(max_size=12).map(lambda data: base64.b64encode(data).decode())

TYPES: st.SearchStrategy[Json] = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])


def schemas() -> st.SearchStrategy[dict[str, Json]]:
    """Schemas of one value, with keys that parameters can say and others."""
    texts: st.SearchStrategy[Json] = WORDS
    types: st.SearchStrategy[Json] = TYPES | st.lists(TYPES, max_size=2).map(list[Json])
    items: st.SearchStrategy[Json] = SCHEMAS.map(dict[str, Json])
    keys: dict[str, st.SearchStrategy[Json]] = {
        "type": types,
        "description": texts,
        "enum": st.lists(JSON | WORDS, max_size=3),
        "default": JSON,
        "format": texts,
        "x-alias": texts,
        "minimum": st.integers(),
        "items": items,
    }
    listed = items.map(lambda inner: dict[str, Json](type="array", items=inner))
    return st.fixed_dictionaries({}, optional=keys) | listed | PARAMETERS


SCHEMAS: st.SearchStrategy[dict[str, Json]] = st.deferred(schemas)
CLOSED: st.SearchStrategy[dict[str, Json]] = st.sampled_from(
    [{}, {"additionalProperties": False}, {"additionalProperties": {"type": "number"}}]
)


@st.composite
def parameters(draw: st.DrawFn) -> dict[str, Json]:
    """The schema of an object, mostly one that parameters can say."""
    properties: dict[str, Json] = dict(draw(st.dictionaries(KEYS | WORDS, SCHEMAS | JSON, max_size=3)))
    required: list[Json] = [key for key in properties if draw(st.booleans())]
    schema: dict[str, Json] = {"type": "object", "properties": properties, **draw(CLOSED)}
    is_said, is_mixed = draw(st.booleans()), draw(st.booleans())
    if required or is_said:
        schema["required"] = draw(st.permutations(required)) if is_mixed else required
    return schema


PARAMETERS: st.SearchStrategy[dict[str, Json]] = parameters()
PROVIDERS = st.sampled_from(["openai", "anthropic"]) | WORDS
OPAQUE = st.builds(Opaque, PROVIDERS, JSON, st.sampled_from(["part", "more", "instead", "message"]))
NAMES = st.sampled_from(["W", "search", "read file"]) | WORDS
TOOLS = st.builds(Tool, NAMES, MAYBE, st.just({}) | PARAMETERS | OBJECTS, MAYBE, st.none() | OPAQUE, st.booleans())
ATTACHMENTS = st.builds(
    Attachment,
    st.sampled_from(["image", "file", "cursor"]) | WORDS,
    name=MAYBE,
    path=MAYBE,
    mime=MAYBE,
    data=st.none() | DATA,
    text=MAYBE,
    href=MAYBE,
    id=MAYBE,
)
OUTPUTS = st.builds(
    Output,
    st.lists(st.builds(Text, WORDS) | ATTACHMENTS | OPAQUE, max_size=3).map(tuple),
    MAYBE,
    MAYBE,
    st.booleans(),
    MAYBE,
)
CALLS = st.builds(Call, NAMES, OBJECTS, MAYBE, MAYBE, MAYBE)
PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, WORDS),
    ATTACHMENTS,
    st.builds(Thinking, WORDS, MAYBE, st.booleans(), MAYBE),
    CALLS,
    OUTPUTS,
    OPAQUE,
)
ROLES: st.SearchStrategy[Role] = st.sampled_from(["system", "user", "assistant", "tool", "none"])
TURNS = st.none() | st.integers(1, 4) | st.integers(-1, 10**9 - 1)
MESSAGES = st.one_of(
    st.builds(Message, ROLES, st.lists(PARTS, max_size=4).map(tuple), MAYBE, MAYBE, TURNS),
    st.builds(Message, ROLES, st.lists(st.builds(Text, WORDS), max_size=2).map(tuple), turn=TURNS),
    st.builds(Message, st.just("tool"), st.lists(OUTPUTS, min_size=1, max_size=2).map(tuple), turn=TURNS),
)
PROMPTS = st.builds(
    Prompt,
    st.lists(MESSAGES, max_size=5).map(tuple),
    st.lists(TOOLS, max_size=2).map(tuple),
    st.lists(st.builds(Memory, WORDS, st.sampled_from(["fact", "summary", "content"]), MAYBE), max_size=2).map(tuple),
    MAYBE,
    MAYBE,
    st.lists(OPAQUE, max_size=2).map(tuple),
    MAYBE,
)
"""Prompts of which a document has to say everything."""
