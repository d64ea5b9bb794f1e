"""`name_program()`: names that a person would choose, from roles, tools, labels and the first words of constants."""

import re
from collections.abc import Container, Hashable

from acdl_mkdocs.prompts.prompt import Call, Output, Text
from acdl_mkdocs.runs.infer.program import Program, list_messages
from acdl_mkdocs.runs.infer.spec_values import Value

_MOST_WORDS = 4
_LEAST_LETTERS = 3
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\b\d{1,2} [A-Z][a-z]+ \d{4}|\b[A-Z][a-z]+ \d{1,2}, \d{4}"
)
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*")
SMALL_WORDS = frozenset(
    WORD.findall(
        "a all an and any are as at be been by can do does for from given has have help here i if in into is it its "
        "may me must of on or our people please s should so than that the their them then there these they this those "
        "to us users was we were what when which will with you your"
    )
)
"""Words that say nothing in a name."""
_ASKED = frozenset(("question", "query", "user", "input", "request", "message"))
_DEFAULTS = {
    ("user", "text"): "env.question",
    ("assistant", "text"): "resp.answer",
    ("assistant", "thinking"): "resp.thinking",
    ("calls", "text"): "resp.thought",
    ("calls", "thinking"): "resp.thinking",
    ("calls", "call"): "resp.calls",
    ("tool", "result"): "sys.results",
    ("system", "text"): "sys.note",
}


def name_program(program: Program) -> dict[Hashable, str]:
    """Name the values of a program, and return the names of its constants by their texts."""
    used: set[str] = set()
    labels: dict[Value, str] = {}
    constants: dict[Hashable, str] = {}
    roles: dict[Hashable, str] = {}
    earlier: set[Value] = set()
    for line in list_messages(program.lines):
        before = ""
        for piece in line.pieces:
            if piece.piece.kind != "value":
                roles.setdefault(piece.piece.text, line.role)
            if piece.value is not None:
                labels.setdefault(piece.value, piece.piece.text.partition("{{")[0] or before)
                if line.scope == "request" and piece.value.level != "run":
                    earlier.add(piece.value)
            else:
                before = piece.piece.text.strip().rsplit("\n", 1)[-1]
    for value in program.values:
        name = _name_value(value, labels.get(value, ""))
        if name.startswith("resp.") and (value in earlier or not value.is_answer):  # no answer to its own request
            name = f"sys.{name[5:]}"
        if _is_later_form(value, name):
            name = name.replace(".", ".old_", 1)
        value.name = make_unique(name, used)
        used.add(value.name)
    for text, role in roles.items():
        constants[text] = make_unique(_name_constant(str(text), role, constants), used)
        used.add(constants[text])
    return constants


def _name_value(value: Value, label: str) -> str:
    kind = value.slot[0] if isinstance(value.slot, tuple) else ""
    part = value.key[0] if isinstance(value.key, tuple) else ""
    if isinstance(kind, int):
        role = value.slot[1] if isinstance(value.slot, tuple) else "message"
        return {"user": "env.message", "assistant": "resp.message"}.get(str(role), "sys.message")
    if part in ("value", "template"):
        samples = [each.text for _, _, parts in value.samples for each in parts if isinstance(each, Text)]
        if samples and all(_DATE.fullmatch(each.strip(" .")) for each in samples):
            return "sys.date"
        words = [word.lower() for word in WORD.findall(label) if word.lower() not in SMALL_WORDS][-2:]
        name = "_".join(words) if words else "number" if samples and all(map(_NUMBER.fullmatch, samples)) else "text"
        is_asked = kind == "user" and (name in _ASKED or (words and words[-1] in _ASKED))
        return f"{'env' if is_asked else 'sys'}.{name}"
    if (kind, part) == ("calls", "call") and _is_single(value, Call):
        return "resp.call"
    if (kind, part) == ("tool", "result") and _is_single(value, Output):
        return "sys.result"
    default = _DEFAULTS.get((str(kind), str(part)))
    return default or f"{'env' if kind == 'user' else 'sys'}.{re.sub(r'[^a-z0-9_]', '_', str(part).lower()) or 'part'}"


def _is_later_form(value: Value, name: str) -> bool:
    """Return whether it takes the place of something in later requests, and its name does not say what it is."""
    slot = value.slot
    if not isinstance(slot, tuple) or len(slot) < 3 or slot[0] not in ("assistant", "calls", "tool"):
        return False
    return isinstance(slot[-1], int) or name == "sys.result"


def _is_single(value: Value, kind: type) -> bool:
    return all(sum(isinstance(part, kind) for part in parts) == 1 for _, _, parts in value.samples)


def _name_constant(text: str, role: str, constants: "dict[Hashable, str]") -> str:
    if role == "system" and "INSTRUCTIONS" not in constants.values() and "{{" not in text:
        return "INSTRUCTIONS"
    words = [word for word in WORD.findall(text.replace("{{value}}", " ")) if word.lower() not in SMALL_WORDS]
    chosen = words[:_MOST_WORDS] or WORD.findall(text)[:_MOST_WORDS]
    name = "_".join(chosen).upper()
    return name if len(name) >= _LEAST_LETTERS else "TEXT"


def make_unique(name: str, used: Container[str]) -> str:
    """Return a name, with a number if it is used already."""
    unique, number = name, 1
    while unique in used:
        number += 1
        unique = f"{name}_{number}"
    return unique
