"""`classify_line()`: the kind of a line in a drawing, in all the ways that people spell it on paper.

Knows nothing about the lines around it.
"""

import re
from typing import Literal, TypeAlias

from acdl_mkdocs.drawing.from_drawing.spelling import QUOTED, spell_condition
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.language.syntax.keywords import NOT_ACDL
from acdl_mkdocs.language.syntax.letters import LETTER
from acdl_mkdocs.language.syntax.nodes import RoleName

Kind: TypeAlias = Literal[
    "content", "role", "foreach", "if", "elseif", "else", "switch", "case", "default", "mark", "name", "ends", "break",
    "continue", "comment", "label", "badge", "bracket", "mark-end", "skipped", "unread",
]  # fmt: skip

_ROLES: dict[str, RoleName] = {
    **dict.fromkeys(("system", "s", "developer"), "system"),
    **dict.fromkeys(("user", "u", "human"), "user"),
    **dict.fromkeys(("assistant", "a", "ai", "model"), "assistant"),
    **dict.fromkeys(("tool", "t"), "tool"),
    **dict.fromkeys(("none", "n"), "none"),
}
LETTERS: dict[RoleName, str] = {"system": "S", "user": "U", "assistant": "A", "tool": "T", "none": "N"}
_WORDS = "system|developer|user|human|assistant|ai|model|tool|none"
_TURN = "message|msg|prompt|turn|input|response"
"""Words that may follow a role: `System prompt`, `User message`."""
_NAMED_ROLE = re.compile(
    rf"role(?:\s*[:=–-]\s*|\s+)(?P<word>{_WORDS}|[suatn])\b(?:\s*:)?\s*+(?P<rest>.*)"
    rf"|[\[<]\s*(?:role\s*:\s*)?(?P<framed>{_WORDS})(?:\s+message)?\s*[\]>]\s*+:?\s*+(?P<after>.*)"
    rf"|(?P<plain>{_WORDS}|[SUATNsuatn])(?:\s+(?:{_TURN}))?(?P<aside>\s+\([^()]*\))?\s*:(?!=)\s*+(?P<inline>.*)",
    re.IGNORECASE,
)
_LOOP = re.compile(
    r"(?:(?P<each>for[\s-]*(?:each|all|every)|loop(?:\s+over)?|repeat\s+for|∀)|for)\s*+(?P<open>\(?)\s*+"
    rf"(?P<variable>@?[^\W\d]{LETTER}*+)\s*+"
    r"(?P<within>:=|:(?!=)|∈|=(?!=)|←|<-(?=\s)|\b(?:in|over|from|of)\b|,(?![^\[\]]*(?::|∈|=|\bin\b)))\s*+(?P<over>.+)",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"for(?:[\s-]*(?:each|all|every))?\s+(?P<variable>@?[^\W\d]\w*)\s*"
    r"(?P<sign><=|≤|<|\b(?:before|until|up\s*to)\b)\s*(?P<end>[\w@$.+-]+(?:\s[+-]\s\w+)?)\s*:?",
    re.IGNORECASE,
)
"""A loop of which only the end is written: `for t < T`."""
_SET = re.compile(r"[\[{](?P<inside>[^\[\]{}]*+)[\]}]")
"""A range in the brackets of a set: `{1, ..., T}`."""
_OF_LIST = re.compile(r"\||∈|\s(?:for|in)\s", re.IGNORECASE)
"""Signs of a list comprehension that a range does not have: `[f(t) | t ∈ 1 ... @T]`."""
_TIMES = re.compile(r"x\s?\d+|\d+\s?x|[×*]\s?\d+|\d+\s?×|once|twice|thrice|\d+\s+times", re.IGNORECASE)
"""A number of repetitions, which no loop expresses this way."""
_BROKEN_LOOP = re.compile(
    r"for[\s-]*each\b(?!\s*[.(\[])|(?:while|unless|until|repeat|loop|do|try)\s+(?!(?:and|or|in)\b)[\w$@].*",
    re.IGNORECASE,
)
_TURN_BEHIND = re.compile(rf"(?<!\s)\s+(?:{_TURN})\s*:?$", re.IGNORECASE)
_DO = re.compile(r"(?<!\s)\s+do\s*:?$", re.IGNORECASE)
_CLOSING = re.compile(r"end\s?(?:if|for(?:\s?each)?|while|loop|switch|case|mark)", re.IGNORECASE)
"""Words that other languages write below a block."""
_NO_CONTENT = re.compile(r"[/|&,+=].*|[a-z\d][\w'’-]*(?:\s+[\w'’-]+)*|\([^()]*\)")
"""Text after a role that is not its content: `ROLE: USER x 3`, `Role: User/Assistant`."""
_ARM = re.compile(r"(?P<word>else\s*if|elif|elsif|if|switch|case|when)\b(?![.\[])\s*+(?P<test>.*)", re.IGNORECASE)
_ELSE = re.compile(r"(?P<word>else|otherwise|default)\b(?![.(\[])\s*+:*+\s*+(?P<rest>.*)", re.IGNORECASE)
_MARK = re.compile(r"mark(?:\s*+\#?\s*+(?P<number>\d+)|\s+(?P<word>\w+|\"[^\"]*\"))?\s*:?", re.IGNORECASE)
_AFTER_BRACE = re.compile(r"\}\s*(?:else|elif|elsif|case|default)\b", re.IGNORECASE)
_NAME = re.compile(
    r"(?:(?:name|let|define)\s++(?P<targets>[@$]?[^\W\d][^:=≔←]*?)(?<!\s)\s*+(?::=|≔|←|<-|=(?!=))"
    rf"|(?P<bare>[@$]?[^\W\d]{LETTER}*+)\s*+(?::=|≔|(?P<guessed>←|<-|=(?!=))))\s*+(?P<value>.+)",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"[-–—─━=]*\s*(?:prompt\s*ends?(?:\s*here)?|ends?\s*here|end(?=\s+when\b))\b\s*"
    r"(?:(?:when|if)\b|:)?\s*(?P<test>.*)",
    re.IGNORECASE,
)
_RULED = re.compile(r"[-–—─━=~]{2,}\s+[^\W\d_].*")
"""A divider with words in it."""
_BADGE = re.compile(r"\(?\s*(?P<badge>SF|RF|StrFrag|Roles?Frag)\s*\)?")
_BRACKET = re.compile(r"[\[\](){}⎡⎢⎣⎤⎥⎦⎧⎨⎩⎫⎬⎭┐│┘\s]+")
_MARK_END = re.compile(r"(?P<code>(?:.*\S)?)\s*+[\]})⎦⎭⎬┘╯]\s*+(?P<number>\d{1,3})")
_ASIDE = re.compile(r"(?P<code>.*\S)(?:\s{2,}[(\[](?P<number>\d{1,2})[)\]]|\s*(?P<circled>[①-⑳]))")
_UNREAD = re.compile(r"\[not (?:shown|understood|read)\]")
_SKIPPED = re.compile(rf"\[not shown\]\s+(?P<text>(?:{'|'.join(sorted(NOT_ACDL))})\b.*\}})", re.IGNORECASE)
_WITHOUT_TEST = {"else if": "elseif", "elif": "elseif", "elsif": "elseif", "when": "case"}


@dataclass(frozen=True, slots=True)
class LineMeaning:
    """The kind of a line, and its parts."""

    kind: Kind
    words: str = ""
    """The expression of it: a condition, what a loop runs over, the value of a `Name`, content, a role."""
    name: str = ""
    """The name that it binds: the variable of a loop, the target of a `Name`."""
    inline: str = ""
    """The text after the head of a block on the same line."""
    is_odd: bool = False
    """Whether that text cannot be content."""
    guess: str = ""
    """The guess about it, if any."""


def classify_line(code: str) -> LineMeaning:
    """Classify the words of a line."""
    if not code:
        return LineMeaning("comment")
    if _UNREAD.match(code):
        skipped = _SKIPPED.fullmatch(code)
        is_whole = skipped is not None and code.count("{") == code.count("}")
        return (
            LineMeaning("skipped", skipped["text"]) if skipped is not None and is_whole else LineMeaning("unread", code)
        )
    if (_BRACKET.fullmatch(code) and code not in ("[]", "()")) or _CLOSING.fullmatch(code):
        return LineMeaning("bracket")
    if not code.strip(": ") or (code.endswith(":") and is_repetition(code)):
        return LineMeaning("unread", code)
    code = code[1:].lstrip() if _AFTER_BRACE.match(code) else code
    code = code.removesuffix("{").rstrip() if code.count("{") == code.count("}") + 1 else code
    # A role after a bullet would be one in ACDL, too.
    if code.startswith(("*", "+", "◆")) and _classify_role(code[1:].lstrip()) is not None:
        return LineMeaning("unread", code)
    for reader in (_classify_role, _classify_loop, _classify_arm, _classify_statement):
        meaning = reader(code)
        if meaning is not None:
            return meaning
    return LineMeaning("label", code[:-1].rstrip()) if code.endswith(":") else LineMeaning("content", code)


def is_repetition(words: str) -> bool:
    """Return whether words say how often their content is sent: `3 times`, `x5`."""
    return _TIMES.fullmatch(words.rstrip(": ")) is not None


_N_WORDS = 3
"""The number of plain words that make a sentence."""
_LONGEST = 2000
_WORD = re.compile(r"[(‘“]?[^\W_][^\W_]*(?:['’/-][^\W_]+)*[,.;:!?)’”]*|[–—&-]")
_NO_BEGINNING = frozenset(
    ("and", "or", "etc", "repeat", "while", "unless", "until", "end", "next", "loop", "then", "for")
)


def is_sentence(words: str) -> bool:
    """Return whether some words are plain text: three or more, without any sign of ACDL."""
    pieces = words.split()
    if len(words) > _LONGEST or len(pieces) < _N_WORDS or pieces[0].lower().strip(".,") in _NO_BEGINNING:
        return False
    n_small = sum(piece.strip("(,.;:!?)").islower() for piece in pieces)
    return n_small * 2 >= len(pieces) and all(_WORD.fullmatch(piece) for piece in pieces)


def role_named(word: str) -> RoleName | None:
    """Return the role that a single word names: `User`, `ASSISTANT`, `System prompt`."""
    word = _TURN_BEHIND.sub("", word)
    return _ROLES.get(word.lower()) if len(word) > 1 else None


def _classify_role(code: str) -> LineMeaning | None:
    match = _NAMED_ROLE.fullmatch(code)
    if match is None:
        return None
    word = match["word"] or match["framed"] or match["plain"]
    inline = match["rest"] or match["after"] or match["inline"] or ""
    if match["plain"] and len(word) == 1 and not inline:
        return None if word.islower() else LineMeaning("role", LETTERS[_ROLES[word.lower()]])
    letter = LETTERS[_ROLES[word.lower()]]
    if match["word"] and ":" not in code[match.end("word") : match.start("rest")] and _NO_CONTENT.fullmatch(inline):
        return LineMeaning("role", letter, inline=inline, is_odd=True)
    if match["aside"]:
        return LineMeaning("role", letter, inline=f"{match['aside'].strip()} {inline}".strip(), is_odd=True)
    return LineMeaning("role", letter, inline=inline)


def _classify_loop(code: str) -> LineMeaning | None:
    if (below := _BELOW.fullmatch(code)) is not None:
        over = (
            f"1 {'...' if below['sign'] in ('<=', '≤') or below['sign'][:2].lower() == 'up' else '..<'} {below['end']}"
        )
        return LineMeaning("foreach", over, below["variable"], guess="read as beginning at 1")
    match = _LOOP.fullmatch(code)
    if match is None:
        return LineMeaning("unread", code) if _BROKEN_LOOP.match(code) else None
    over, inline = _without_inline(_DO.sub("", match["over"]))
    guess = ""
    if (framed := _SET.fullmatch(over)) is not None and (".." in over or "…" in over) and not _OF_LIST.search(over):
        is_spelled_as_list = over.startswith("[") and " ... " in over  # as figures write one
        guess = "read as all between the two ends, not as a list of one range" if is_spelled_as_list else ""
        over = framed["inside"].strip(" ,")
    if match["open"] and over.count("(") < over.count(")"):
        over = over.removesuffix(")").rstrip()
    return LineMeaning("foreach", over, match["variable"], inline, guess=guess)


def _classify_arm(code: str) -> LineMeaning | None:
    match = _ARM.fullmatch(code)
    if match is not None:
        word = " ".join(match["word"].lower().split())
        before, then, behind = _split_then(match["test"]) if word != "switch" else (match["test"], "", "")
        test, inline = (before, behind) if then else _without_inline(match["test"])
        test = spell_condition(test) if word not in ("switch", "case", "when") else test
        if word != "when" or test:
            kind = _WITHOUT_TEST.get(word, word)
            return LineMeaning(kind, test, inline=inline) if test else LineMeaning("unread", code)  # type: ignore[arg-type]
    match = _ELSE.fullmatch(code)
    if match is None:
        return None
    if match["rest"] and ":" not in code[: len(code) - len(match["rest"])] and _classify_role(match["rest"]) is None:
        return None
    return LineMeaning("default" if match["word"].lower() == "default" else "else", inline=match["rest"])


def _split_then(words: str) -> tuple[str, str, str]:
    """Split a condition at `then` into the condition, the `then` and the rest."""
    for match in _THEN.finditer(words):
        if match["then"]:
            return words[: match.start()].rstrip(), "then", words[match.end() :].strip(" :")
    return words, "", ""


def _classify_statement(code: str) -> LineMeaning | None:
    mark = _MARK.fullmatch(code)
    if mark is not None and (mark["number"] or mark["word"] or code.endswith(":")):
        return LineMeaning("mark", mark["number"] or mark["word"] or "")
    if (match := _NAME.fullmatch(code)) is not None:
        if match["guessed"] and role_named(match["bare"]) is not None:
            return LineMeaning("unread", code)  # `User = env.q` is hardly a variable `User`
        guess = f"`{match['guessed']}` is read as `:=`" if match["guessed"] else ""
        return LineMeaning("name", match["value"], match["targets"] or match["bare"], guess=guess)
    if (match := _ENDS.fullmatch(code)) is not None:
        return LineMeaning("ends", match["test"].rstrip("-–—─━").rstrip())
    if _RULED.fullmatch(code):
        return LineMeaning("unread", code)
    if code in ("break", "Break", "continue", "Continue"):
        return LineMeaning("break" if code.lower() == "break" else "continue")
    if (match := _BADGE.fullmatch(code)) is not None:
        return LineMeaning("badge", "StrFrag" if match["badge"].startswith("S") else "RolesFrag")
    match = _MARK_END.fullmatch(code)
    if match is not None and _closes_nothing(match["code"], code):
        return LineMeaning("mark-end", match["code"].rstrip(), match["number"])
    if (match := _ASIDE.fullmatch(code)) is not None:
        number = match["number"] or str(ord(match["circled"]) - ord("①") + 1)
        return LineMeaning("mark-end", match["code"], number, guess="the number is read as that of a mark")
    return None


def _closes_nothing(before: str, code: str) -> bool:
    """Return whether the bracket after some words is drawn beside them and not part of them."""
    sign = code[len(before) :].strip()[0]
    opening = {"]": "[", ")": "(", "}": "{"}.get(sign, "")
    return not opening or before.count(opening) <= before.count(sign)


_THEN = re.compile(rf"{QUOTED}|(?<=\s)(?P<then>then)(?=\s|:|$)", re.IGNORECASE)
_PIECES = re.compile(rf"{QUOTED}|[(\[{{]|[)\]}}]|:+")


def _without_inline(words: str) -> tuple[str, str]:
    """Split words at the first colon outside of brackets."""
    depth = 0
    for match in _PIECES.finditer(words):
        sign = match[0]
        depth += (sign in "([{") - (sign in ")]}")
        if sign[0] == ":" and depth <= 0:
            return words[: match.start()].rstrip(), words[match.end() :].strip(" :")
    return words.strip(), ""
