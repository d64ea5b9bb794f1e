"""Prompts for properties: those that every format holds without loss, and any at all."""

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
from acdl_mkdocs.prompts.providers import WIRES

HAS_SYSTEM_BETWEEN = {"openai", "responses"}
"""Formats in which instructions may stand between messages."""
HAS_SYSTEM_MESSAGES = {"openai", "responses"}
"""Formats in which a prompt may begin with several messages of instructions."""

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,20}", fullmatch=True)
IDS = st.from_regex(r"[A-Za-z0-9_-]{1,12}", fullmatch=True)
SAID = st.text(min_size=1, max_size=20).filter(str.strip)
JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(max_size=6), JSON, max_size=3)
TEXTS = st.builds(Text, SAID)
DATA = st.binary(min_size=1, max_size=12).map(lambda data: base64.b64encode(data).decode())
IMAGES = st.builds(
    Attachment, type=st.just("image"), mime=st.sampled_from(["image/png", "image/jpeg", "image/webp"]), data=DATA
)
SCHEMAS: st.SearchStrategy[dict[str, Json]] = st.just({}) | SAID.map(
    lambda key: {"type": "object", "properties": {key: {"type": "string"}}}
)
TOOLS = st.builds(Tool, NAMES, st.none() | SAID, SCHEMAS)


@st.composite
def common(draw: st.DrawFn, name: str) -> Prompt:
    """A prompt that a format holds without loss: this is the common subset.

    Texts and roles; instructions at the beginning, and elsewhere where the format has a place for them; calls with ids,
    also several at once, behind the text of their message; a result for each, right behind, in texts, also an error;
    images of which the data are there; tools.
    """
    messages: list[Message] = []
    system = st.builds(Message, st.just("system"), st.lists(TEXTS, min_size=1, max_size=2).map(tuple))
    n_leading = draw(st.integers(0, 3 if name in HAS_SYSTEM_MESSAGES else 1))
    messages.extend(draw(system) for _ in range(n_leading))
    ids = iter(draw(st.lists(IDS, min_size=12, max_size=12, unique=True)))
    for _ in range(draw(st.integers(1, 4))):
        messages.append(Message("user", tuple(draw(st.lists(TEXTS | IMAGES, min_size=1, max_size=3)))))
        if name in HAS_SYSTEM_BETWEEN and draw(st.booleans()):
            messages.append(draw(system))
        texts = draw(st.lists(TEXTS, max_size=2))
        n_calls = draw(st.integers(0 if texts else 1, 3))
        calls = [Call(draw(NAMES), draw(OBJECTS), next(ids)) for _ in range(n_calls)]
        messages.append(Message("assistant", (*texts, *calls)))
        for call in calls:
            parts = tuple(draw(st.lists(TEXTS, min_size=1, max_size=2)))
            messages.append(Message("tool", (Output(parts, call.id, call.tool, draw(st.booleans())),)))
    return Prompt(tuple(messages), tuple(draw(st.lists(TOOLS, max_size=2))))


ANY_TEXT = st.text(max_size=12) | st.sampled_from(
    ['<tool_output status="error">\nx\n</tool_output>', '<tool_output status="ok">\n', "<tool_output ", " ", "]]>"]
)
PROVIDERS = st.sampled_from([*WIRES, "other"])
MAYBE = st.none() | st.text(max_size=5)
OPAQUE = st.builds(Opaque, PROVIDERS, OBJECTS | JSON, st.sampled_from(["part", "more", "instead", "message"]))
ATTACHMENTS = st.builds(
    Attachment,
    st.sampled_from(["image", "file", "doc", "table"]),
    MAYBE,
    MAYBE,
    st.none() | st.sampled_from(["image/png", "image/svg+xml", "application/pdf", "text/plain", "text/x"]),
    st.none() | DATA,
    st.none() | ANY_TEXT,
    st.none() | st.just("https://example.org/a.pdf"),
    MAYBE,
)
FEW_IDS = st.none() | st.sampled_from(["a", "b", "call_1", "b c", ""])
FEW_TOOLS = st.sampled_from(["search", "read file", "W"])
ANY_PART: st.SearchStrategy[Part] = st.one_of(
    st.builds(Text, ANY_TEXT),
    ATTACHMENTS,
    st.builds(Thinking, ANY_TEXT, MAYBE, st.booleans(), st.none() | PROVIDERS),
    st.builds(Call, FEW_TOOLS, OBJECTS, FEW_IDS, st.none() | st.sampled_from(["{}", '{"a": 1 }', "oh", ""]), MAYBE),
    st.builds(
        Output,
        st.lists(st.builds(Text, ANY_TEXT) | ATTACHMENTS, max_size=3).map(tuple),
        FEW_IDS,
        st.none() | FEW_TOOLS,
        st.booleans(),
    ),
)
ROLES: st.SearchStrategy[Role] = st.sampled_from(["system", "user", "assistant", "tool", "none"])
MESSAGES = st.builds(
    Message, ROLES, st.lists(ANY_PART, max_size=4).map(tuple), MAYBE, MAYBE, st.none() | st.integers(1, 3)
)
ANY = st.builds(
    Prompt,
    st.lists(MESSAGES, max_size=5).map(tuple),
    st.lists(st.builds(Tool, FEW_TOOLS, MAYBE, SCHEMAS | OBJECTS, MAYBE), max_size=2).map(tuple),
    st.lists(st.builds(Memory, ANY_TEXT, st.sampled_from(["fact", "summary", "content"]), MAYBE), max_size=2).map(
        tuple
    ),
    MAYBE,
    MAYBE,
)
"""Any prompt that a person or a program of ours may write."""
EVEN_OPAQUE = st.builds(
    Prompt,
    st.lists(st.builds(Message, ROLES, st.lists(ANY_PART | OPAQUE, max_size=4).map(tuple)), max_size=4).map(tuple),
    settings=st.lists(OPAQUE, max_size=2).map(tuple),
)
"""Prompts with whatever providers may have said beside their parts."""
