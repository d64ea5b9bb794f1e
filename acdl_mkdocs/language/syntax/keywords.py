"""The words of the language, and what has to follow for each of them to be a keyword there.

What follows is looked at once and not far, or a line of such words would cost the square of its length: hence the
possessive `++` and `*+`, and the bounds.
"""

import re

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.language.syntax.letters import LETTER
from acdl_mkdocs.language.syntax.tokens import Token

NOT_ACDL = {"struct", "event", "pipeline", "flow", "fact"}
"""Keywords, in lower case, of blocks that other notations mix with ACDL: they are skipped, balanced, with a warning."""

BLOCK_WORDS = {
    "ROLE": "message",
    "FOREACH": "`ForEach` block",
    "IF": "`If` block",
    "ELSEIF": "`ElseIf` block",
    "ELSE": "`Else` block",
    "SWITCH": "`Switch` block",
    "CASE": "`Case` block",
    "DEFAULT": "`Default` block",
    "MARK": "`Mark` block",
    "STRING_FRAGMENT": "fragment",
    "ROLES_FRAGMENT": "fragment",
}
"""The kinds of words that begin a block, with the name of the block."""

# Words that begin a statement, in lower case: the kind, and what must follow for the word to be a keyword there.
_TITLE = rf"\s++[^\W\d]{LETTER}*+\s*+(?::?\s*+\{{|\[|\()"
BLOCK = compile_later(r"\s*+:?\s*+\{")
_SET = compile_later(rf"[ \t]++[^\W\d]{LETTER}*+[ \t]*+:?=(?!=)")
_FRAGMENT = r"\s++\w|\s*+[\[({:]"
_COUNTED = rf"\s++@?{LETTER}++\s++(?:from\b|:?=(?!=))"
_FILLED = r"\s++(?:(?:over|for|through)\s++)?"
_TIMES = r"\s++\S[^\n{}]{0,80}?\stimes\b"
STATEMENT_WORDS: dict[str, tuple[str, re.Pattern[str] | None]] = {
    "foreach": ("FOREACH", None),
    "for": (
        "FOREACH",
        compile_later(rf"\s++@?{LETTER}++\s++(?:in|of)\b|\s++@?{LETTER}++\s*+:|\s*+\(|\s++(?i:each)\b|{_COUNTED}"),
    ),
    "loop": (
        "FOREACH",
        compile_later(
            rf"\s*+\(\s*+@?{LETTER}++\s*+(?::|in\b|{_COUNTED})|{_FILLED}@?{LETTER}++\s++in\b|{_TIMES}|{_COUNTED}"
        ),
    ),
    "repeat": ("FOREACH", compile_later(rf"{_FILLED}@?{LETTER}++\s++in\b|{_TIMES}")),
    "if": ("IF", None),
    "else": ("ELSE", None),
    "otherwise": ("ELSE", BLOCK),
    "elseif": ("ELSEIF", None),
    "elif": ("ELSEIF", None),
    "elsif": ("ELSEIF", None),
    "switch": ("SWITCH", compile_later(r"\s*+[^=}]")),
    "match": ("SWITCH", compile_later(r"(?=[ \t]++[^\n{}]{1,200}+\{\s*+(?:case|default)\b)", re.IGNORECASE)),
    "case": ("CASE", compile_later(r"\s*+[^=.}]")),
    "default": ("DEFAULT", BLOCK),
    "mark": ("MARK", compile_later(rf"""\s*+(?:\#?\d++|["'“‘][^\n]{{0,200}}?["'”’]|{LETTER}++)?\s*+:?\s*+\{{""")),
    "name": (
        "NAME",
        compile_later(
            rf"\s++[@$]?[^\W\d]{LETTER}*+\s*+(?:[\[,]|:=|=(?!=))|\s*+:="
            rf"|[ \t]++[@$]?[^\W\d]{LETTER}*+[ \t]*+:(?!\s*+\{{)"
        ),
    ),
    "let": ("NAME", _SET),
    "var": ("NAME", _SET),
    "const": ("NAME", _SET),
    "promptendshere": ("ENDS_HERE", None),
    "end": ("ENDS_HERE", compile_later(r"\s++when\b", re.IGNORECASE)),
    "break": ("BREAK", compile_later(r"(?!\s*+[.(\[])")),
    "continue": ("CONTINUE", compile_later(r"(?!\s*+[.(\[])")),
    "prompt": ("PROMPT", compile_later(_TITLE)),
    "strfrag": ("STRING_FRAGMENT", compile_later(_FRAGMENT)),
    "stringfrag": ("STRING_FRAGMENT", compile_later(_TITLE)),
    "rolesfrag": ("ROLES_FRAGMENT", compile_later(_FRAGMENT)),
    "rolefrag": ("ROLES_FRAGMENT", compile_later(_FRAGMENT)),
}
BLOCK_KEYWORDS = ("ForEach", "If", "ElseIf", "Else", "Switch", "Case", "Default", "Mark", "StrFrag", "RolesFrag")
"""The documented words that begin a block."""
KEYWORDS = (*BLOCK_KEYWORDS, "Name", "PromptEndsHere")
"""The documented words that begin a statement."""
DOCUMENTED_WORDS = frozenset((*KEYWORDS, "RoleFrag"))
# A documented word is a keyword also where only what must follow is missing: `Name docs`, `Mark 1`, `Default`.
INCOMPLETE = {
    "Name": compile_later(r"[ \t]++[@$]?[^\W\d]"),
    "Mark": compile_later(r"[ \t]++\d"),
    "Default": compile_later(r"[ \t]*+(?://|\r?\n|\Z)"),
}
ROLE_WITHOUT_COLON = compile_later(rf"""[ \t]+[^\W\d]{LETTER}{{2}}|[ \t]+[$"“]""")
INNER_WORDS = {"and": "AND", "or": "OR", "not": "NOT", "in": "IN", "every": "EVERY"}

DOUBLE_QUOTES = '"“”„'
CLOSING_QUOTES = {'"': frozenset('"“”'), "'": frozenset("'‘’")}
_JINJA = r"\{\{[^{}\n]*+\}\}|\{%[^{}%\n]*+%\}|\{"
INSIDE_QUOTES = {
    '"': compile_later(rf"""(?>(?:[^"“”\\\n{{]++|\\.|{_JINJA})*)"""),
    "'": compile_later(rf"""(?>(?:[^'‘’\\\n{{]++|\\.|{_JINJA})*)"""),
}
"""The text in quotes, by kind of quote: `"{{ f("x") }}"`, which another tool replaces, is one string."""

COMMENT_ENDS = {"/": "*/", "<": "-->"}
"""The last signs of the comments that begin with a sign: `/* ... */`, `<!-- ... -->`."""
COLON = compile_later(r"\s*:(?!=)")
BRACE = compile_later(r"[ \t]*\{(?![#%])")
ROLE_AFTER_WORD = compile_later(r"[ \t]+(system|user|assistant|tool|none|[suatn])[ \t]*:(?!=)", re.IGNORECASE)
ELSE_IF = compile_later(r"[ \t]+if\b", re.IGNORECASE)
DEFAULT_CASE = compile_later(r"[ \t]++(?:_|else|otherwise)\b", re.IGNORECASE)
FOR_EACH = compile_later(r"[ \t]+each\b", re.IGNORECASE)
WHEN = compile_later(r"\s*when\b|[ \t]+if\b(?=[^\n{]{0,200}+(?:\n|\Z))", re.IGNORECASE)
CONDITION_ON_LINE = compile_later(
    rf"[^\S\n]*+(?!{LETTER}++[ \t]*+:(?!=)|[SUATN][ \t]*+\{{|(?:ForEach|If|Switch|Mark|Name|Frag)\b)[^\s}};/#]"
)
DASHED_LINE = compile_later(r"--++(?:[^\S\n][^\n]*+)?(?=\n|\Z)")
HEAD_OF_BLOCK = compile_later(r"(?>(?:(?!\b(?:If|ForEach|Switch|Mark)\b)[^\n{}:]){1,200})\{")
FRAGMENT_NAME = compile_later(r"\s+[^\W\d]")
_OTHER_FRAGMENT = compile_later(r"(?:(?P<string>str|string|text)|(?P<roles>roles?|msgs?|messages?))?_?frag(?:ment)?")
"""Words, in lower case, that may begin the definition of a fragment without being its keyword."""
_INDICES = r"(?:\[[^\]\n{}]{0,200}+\]|\([^)\n{}]{0,200}+\))?"
FRAGMENT_HEAD = compile_later(rf"\s++[^\W\d]{LETTER}*+\s*+{_INDICES}\s*+:?\s*+(?P<body>\{{)")
FRAGMENT_USED = compile_later(rf"[ \t]++[^\W\d]{LETTER}*+[ \t]*+\[")
_ROLE_IN_BODY = compile_later(
    r"(?<![\w.$@])(?:[SUATN]|(?i:system|user|assistant|tool|none))[ \t]*:(?!=)|[\n{}][ \t]*[SUATN][ \t]*\{"
)
_MOST_READ = 4000
"""The number of characters of a block to search for messages."""
_BRACES = re.compile(r"//[^\n]*|[{}]")
MARKED_TEMPLATE = compile_later(r"[^\W\d_]\w*+")
BULLETS = frozenset("-–−—*+•‣◦▪●·")
"""Signs before the items of a list."""
BULLET = compile_later(r"""[ \t]*+(?:[^\W\d]|["“$])""")
DECLARED = compile_later(rf"\s++{LETTER}++\s*+(?::?=)?\s*+\{{")
FOREIGN = compile_later(r"\s++[^\s{}:=.(]++[^\n{}]{0,200}+\{")


def uses_fragment(word: str, text: str, end: int) -> bool:
    """Return whether `Frag`, or `Fragment` before arguments, uses a fragment; the word ends at `end`."""
    if word.lower() == "frag":
        return word == "Frag" or FRAGMENT_NAME.match(text, end) is not None
    return FRAGMENT_USED.match(text, end) is not None and FRAGMENT_HEAD.match(text, end) is None


def fragment_kind(text: str, lower: str, end: int) -> str:
    """Return the kind of a word such as `Fragment` before a title, depending on the content of its block.

    Parameters:
        text: The whole text.
        lower: The word in lower case.
        end: Where it ends.
    """
    word, head = _OTHER_FRAGMENT.fullmatch(lower), FRAGMENT_HEAD.match(text, end)
    if word is None or head is None:
        return "IDENT"
    if word["string"] or word["roles"]:
        return "STRING_FRAGMENT" if word["string"] else "ROLES_FRAGMENT"
    start = head.start("body")
    return "ROLES_FRAGMENT" if _ROLE_IN_BODY.search(text, start, _end_of_block(text, start)) else "STRING_FRAGMENT"


def _end_of_block(text: str, start: int) -> int:
    """Return the end of the block that a brace opens, or where the search stops."""
    depth, last = 0, min(len(text), start + _MOST_READ)
    for brace in _BRACES.finditer(text, start, last):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0 and brace[0] == "}":
            return brace.end()
    return last


def comment_text(text: str) -> str:
    """Return the words of a comment without its signs."""
    if text.startswith(("/*", "<!--")):
        return (text[4:-3] if text[0] == "<" else text[2:-2]).strip()
    return (text.lstrip(text[0]) if text[0] in "/-" else text[1:]).strip()


def begins_item(tokens: list[Token], text: str, end: int, *, is_next: bool) -> bool:
    """Return whether a sign marks the first content of a block or role, or the next item of a list.

    Parameters:
        tokens: The tokens before it.
        text: The whole text.
        end: Where the sign ends.
        is_next: Whether it begins a line after one that began with such a mark.
    """
    last = tokens[-1] if tokens else None
    is_role = last is not None and last.kind == "COLON" and len(tokens) > 1 and tokens[-2].kind == "ROLE"
    is_item = is_next or is_role or last is None or last.kind in ("LBRACE", "RBRACE")
    return is_item and BULLET.match(text, end) is not None
