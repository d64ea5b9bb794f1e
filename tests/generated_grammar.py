"""The TextMate grammars of `assets/`, made from the words of the scanner, for `tests/vscode/`.

Editors that know no language server colour specs with them. They read line by line and know no productions, so what a
word is follows from its neighbours on the line, as in `language/syntax/classify.py`, whose kinds have one scope
each. The
patterns of `language/syntax/keywords.py` are taken as they are, in the spelling of Oniguruma.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS
from acdl_mkdocs.language.syntax import keywords
from acdl_mkdocs.language.syntax.classify import Kind
from acdl_mkdocs.language.syntax.nodes import NAMESPACES
from acdl_mkdocs.language.syntax.tokens import ROLES

Rule: TypeAlias = dict[str, Any]

SCOPES: dict[Kind, str] = {
    "comment": "comment",
    "keyword": "keyword.control.acdl",
    "role": "storage.type.role.acdl",
    "title": "entity.name.type.acdl",
    "fragment": "entity.name.type.fragment.acdl",
    "template": "variable.other.constant.template.acdl",
    "function": "entity.name.function.acdl",
    "namespace": "variable.language.namespace.acdl",
    "field": "variable.other.property.acdl",
    "path": "variable.other.path.acdl",
    "index": "constant.language.time.acdl",
    "reference": "variable.parameter.reference.acdl",
    "string": "string.quoted.acdl",
    "number": "constant.numeric.acdl",
    "operator": "keyword.operator.acdl",
    "word-operator": "keyword.operator.word.acdl",
    "punctuation": "punctuation.acdl",
    "foreign": "meta.foreign.acdl",
}
"""What the kinds of words are called; themes know the first two or three parts of a scope."""

_WORD = r"[^\W\d]\w*+"
_CAPS = r"(?=\w\w)(?=\w*\p{Lu})[^\W\d\p{Ll}\p{Lt}][^\W\p{Ll}\p{Lt}]*+(?!\w)"
"""A word as `is_all_caps` has it: two characters at least, with a capital and without a small letter."""
_BRACKETS = r"(?<br>\[(?:[^\[\](){}\n]|\g<br>)*+\]|\((?:[^\[\](){}\n]|\g<br>)*+\))"
_FIELDS = r"\.[ \t]*(?:[@$]{0,2}\w+|\*)"
_GOES_ON = r"[ \t]*(?:[\[(]|\.[ \t]*[@$\w*])"
"""What hangs on a word: an index, arguments or fields."""
_BEGINS = r"(?:\G|(?<!\w))"
"""Where a word begins; a pattern that looks at every letter would cost the square of a line's length."""
_NO_WORD_BEFORE = r"(?<![\w@$.])"
_BEHIND = r"(?<=[\w\])\"'”’*])[ \t]+"
"""Between an operand and what follows it."""
_INSIDE_VALUE = r"(?>(?:[^{}:\n]|\{[^{}\n]*+\}|\}(?!\})|:(?![\s{])|(?<=[\"']):){1,2000})"
_HOST_PIECE = rf"(?:\{{\{{(?!\s*\}}\}}){_INSIDE_VALUE}\}}\}}|\{{%[^%\n]*+%\}}|\{{#[^#\n]*+#\}}|\{{![^\n!{{}}]++!\}})"
"""What another tool replaces within a line, as in `language/syntax/host_text.py`:
`{{ x }}`, `{% x %}`, `{# x #}`, `{!x!}`."""
_COMBINED = {
    "FOREACH": r"(?i:for)[ \t]+(?i:each)\b",
    "ELSEIF": r"(?i:else)[ \t]+(?i:if)\b",
    "ENDS_HERE": r"(?i:promptendshere)(?:\s+(?i:when)\b|[ \t]+(?i:if)\b(?=[^\n{]{0,200}$))?",
    "ENDS_WHEN": r"(?i:end)\s+(?i:when)\b",
    "SWITCH": r"(?i:match)(?=[ \t]++[^\n{}]{1,200}\{\s*+$)",
}
"""Keywords of two words, those that may have a second one, and one whose first case is on the next line."""
_EXPECTS_OPERAND = frozenset(("FOREACH", "IF", "ELSEIF", "SWITCH", "CASE", "NAME", "ENDS_HERE", "ENDS_WHEN"))
_NAMED = frozenset(("PROMPT", "STRING_FRAGMENT", "ROLES_FRAGMENT"))


def grammar() -> str:
    """The grammar of ACDL, as text."""
    return _written("ACDL", "source.acdl", _repository(), ["#element"], fileTypes=["acdl"])


def injected_into_markdown() -> str:
    """The grammar of fences in Markdown, as text: specs, blocks of options, which are YAML, and XML."""
    kinds: dict[str, tuple[list[str], str]] = {
        "acdl": (["acdl"], "source.acdl"),
        "yaml": (sorted(name for name in BLOCKS if name.startswith("acdl-")), "source.yaml"),
        "xml": (sorted(name for name in BLOCKS if not name.startswith("acdl")), "text.xml"),
    }
    repository = {kind: _fence(names, scope, kind) for kind, (names, scope) in kinds.items()}
    included = [f"#{kind}" for kind in kinds]
    return _written(
        "ACDL in Markdown", "markdown.acdl.codeblock", repository, included, injectionSelector="L:text.html.markdown"
    )


def _written(name: str, scope: str, repository: dict[str, Rule], included: list[str], **more: object) -> str:
    value = {"name": name, "scopeName": scope, **more, "patterns": _include(*included), "repository": repository}
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _fence(names: list[str], scope: str, kind: str) -> Rule:
    """A fence of backticks, tildes or colons whose language is one of these, with any options behind it."""
    language = "|".join(map(re.escape, names))
    return {
        "name": "markup.fenced_code.block.markdown",
        "begin": rf"(^|\G)(\s*)(`{{3,}}|~{{3,}}|:{{3,}})\s*+(?=\{{?\s*+\.?(?i:{language})(?![\w-]))"
        rf"(\{{?\s*\.?)((?i:{language}))(\}}?)([^`\n]*)$",
        "beginCaptures": {
            "3": {"name": "punctuation.definition.markdown"},
            "5": {"name": "fenced_code.block.language"},
            "7": {"name": "fenced_code.block.language.attributes"},
        },
        "end": r"(^|\G)(\2|\s{0,3})(\3)\s*$",
        "endCaptures": {"3": {"name": "punctuation.definition.markdown"}},
        "patterns": [
            {
                "begin": r"(^|\G)(\s*)(.*)",
                "while": r"(^|\G)(?!\s*(?:`{3,}|~{3,}|:{3,})\s*$)",
                "contentName": f"meta.embedded.block.{kind}",
                "patterns": _include(scope),
            }
        ],
    }


def _repository() -> dict[str, Rule]:
    value = ("#host", "#comments", "#words", "#fragment-use", "#brackets", "#strings", "#chains", "#numbers")
    parts: dict[str, Iterator[Rule]] = {
        "host": iter((_host_value(),)),
        "host-lines": _host_lines(),
        "foreign": _foreign(),
        "titles": _titles(),
        "roles": _roles(),
        "keywords": _keywords(),
        "comments": _comments(),
        "words": _words(),
        "fragment-use": _fragment_use(),
        "brackets": (_bracket(opening, closing) for opening, closing in ("()", "[]")),
        "strings": _strings(),
        "chains": _chains(),
        "numbers": iter((_match(r"\d+(?:\.\d+)?", {0: "number"}),)),
        "signs": _signs(),
    }
    return {
        "element": {
            "patterns": _include(
                "#host-lines",
                "#dashed",
                "#host",
                "#foreign",
                "#titles",
                "#roles",
                "#keywords",
                *value,
                "#operators",
                "#signs",
            )
        },
        "inside": {"patterns": [_comprehension(), *_include(*value, "#operators", "#signs")]},
        "operand": {"patterns": _include(*value, "#operators")},
        "operators": _before_operand(r"(==|!=|<=|>=|<>|:=|\|\|?|&&?|\.\.\.?|[=<>≤≥≠!…+\-–−*/%×÷∈])", "operator"),
        "braces": {"begin": r"\{", "end": r"\}", "patterns": _include("#braces")},
        "dashed": {"match": r"^\s*(--+(?:[^\S\n].*)?)$", "captures": {"1": {"name": "comment.line.double-dash.acdl"}}},
        **{name: {"patterns": list(rules)} for name, rules in parts.items()},
    }


def _include(*names: str) -> list[Rule]:
    return [{"include": name} for name in names]


def _match(pattern: str, kinds: dict[int, Kind]) -> Rule:
    captures = {str(group): {"name": SCOPES[kind]} for group, kind in kinds.items()}
    return {"match": pattern, "name": captures["0"]["name"]} if 0 in kinds else {"match": pattern, "captures": captures}


def onig(pattern: str | re.Pattern[str]) -> str:
    """A pattern of Python as Oniguruma reads it: no possessive bounds, characters by their numbers in braces."""
    if isinstance(pattern, str):
        text = pattern
    else:
        text = f"(?i:{pattern.pattern})" if pattern.flags & re.IGNORECASE else pattern.pattern
    text = re.sub(r"(\{\d*,\d*\})\+", r"\1", text)
    text = re.sub(r"\\u([0-9a-fA-F]{4})|\\x([89a-fA-F][0-9a-fA-F])", lambda hit: rf"\x{{{hit[1] or hit[2]}}}", text)
    return text.replace(r"\Z", r"\z")


def _comments() -> Iterator[Rule]:
    yield {"name": "comment.line.double-slash.acdl", "match": r"//.*$"}
    yield {"name": "comment.line.number-sign.acdl", "match": r"#(?!msg\b|(?<=[Mm]ark #)\d+ *:? *\{).*$"}
    yield {"name": "comment.block.acdl", "begin": r"/\*", "end": r"\*/"}
    yield {"name": "comment.block.html.acdl", "begin": r"<!--", "end": r"-->"}


def _strings() -> Iterator[Rule]:
    double, single = (onig(keywords.INSIDE_QUOTES[quote]) for quote in "\"'")
    yield _match(rf"[\"“”„]{double}[\"“”]", {0: "string"})
    yield _match(rf"['‘’‚]{single}['‘’]", {0: "string"})


def _host_value() -> Rule:
    """What another tool replaces, with the word that it is a part of."""
    return _match(rf"(?:{_BEGINS}[@$]?[^\W\d][\w.]{{0,80}}|[@$])?{_HOST_PIECE}\w*", {0: "foreign"})


def _host_lines() -> Iterator[Rule]:
    """Lines for which another tool puts in a file."""
    yield {
        "name": SCOPES["foreign"],
        "begin": r"^[^\S\n]*(;*)-+8<-+[^\S\n]*$",
        "end": r"^[^\S\n]*\1-+8<-+[^\S\n]*$",
    }
    yield _match(r"^[; \t]*-+(?:8<|>8)-+(?=[ \t\"'“\[]|$).*$", {0: "foreign"})
    yield _match(r"^[ \t]*!(?i:include\w*|import)(?:[ \t]*[\"'<“]|[ \t]+[^\s=<>!]).*$", {0: "foreign"})
    others = r"(?!(?:and|or|in|for|if|not)\b)"
    yield _match(rf"^[ \t]*@(?i:include|import)(?:[ \t]*[\"'(“]|[ \t]+{others}[\w./~<]).*$", {0: "foreign"})
    yield _match(r"^[ \t]*#include[ \t]*[\"<].*$", {0: "foreign"})


def _foreign() -> Iterator[Rule]:
    """Blocks of other notations, with what is in their braces."""
    for words, follows in (("|".join(sorted(keywords.NOT_ACDL)), keywords.FOREIGN), ("namespace", keywords.DECLARED)):
        yield {
            "name": SCOPES["foreign"],
            "begin": rf"{_NO_WORD_BEFORE}(?i:{words})(?={onig(follows)})[^{{\n]*\{{",
            "end": r"\}",
            "patterns": _include("#braces"),
        }


def _titles() -> Iterator[Rule]:
    """The names that blocks are called by, where an element begins: no keyword and no role stands there."""
    words = [pattern for pattern, _ in _keyword_patterns()]
    others = (*_role_patterns(), r"not(?!\w)", r"Frag(?!\w)", rf"(?i:frag)\s+{_WORD}")
    ahead = rf"(?=[ \t]*+(?:{_BRACKETS}[ \t]*+)*(?:(?::[ \t]*+)*(?!{_HOST_PIECE})\{{|(?::[ \t]*+)+$))"
    yield _match(rf"(?:^|(?<=[{{}};]))[ \t]*(?!{'|'.join((*words, *others))})({_WORD}){ahead}", {1: "title"})


def _roles() -> Iterator[Rule]:
    for pattern in _role_patterns():
        yield _match(rf"{_NO_WORD_BEFORE}{pattern}", {0: "role"})
    yield _match(rf"^\s*([SUATN])(?={onig(keywords.ROLE_WITHOUT_COLON)})", {1: "role"})


def _role_patterns() -> tuple[str, ...]:
    """Role markers, with what has to follow."""
    spelled = "|".join(sorted(ROLES, key=lambda word: (-len(word), word)))
    return (
        rf"(?i:role)[ \t]+(?i:{spelled})(?=[ \t]*:(?!=))",
        rf"(?i:{spelled})(?!\w)(?=\s*:(?!=))",
        rf"[SUATN](?={onig(keywords.BRACE)})",
    )


def _keywords() -> Iterator[Rule]:
    other = r"(?i:(?:str|string|text|roles?|msgs?|messages?)_?frag(?:ment)?|fragment)"
    ahead = rf"(?=[ \t]*+{_BRACKETS}?[ \t]*+:?[ \t]*+\{{)"
    yield _match(rf"{_NO_WORD_BEFORE}({other})[ \t]+({_WORD}){ahead}", {1: "keyword", 2: "title"})
    for pattern, kind in _keyword_patterns():
        yield _statement(pattern, kind)
    for written, follows in keywords.INCOMPLETE.items():
        yield _match(rf"^\s*({written})(?!\w)(?={onig(follows)})", {1: "keyword"})


def _keyword_patterns() -> Iterator[tuple[str, str]]:
    """Pattern and kind of every keyword that begins a statement; what must follow it is looked for on its line."""
    for kind, pattern in _COMBINED.items():
        yield pattern, kind
    for word, (kind, follows) in keywords.STATEMENT_WORDS.items():
        if kind not in ("ENDS_HERE", "ENDS_WHEN"):
            ahead = f"(?={onig(follows)})" if follows else ""
            yield rf"{_spelled(word, kind)}(?!\w){ahead}", kind


def _spelled(word: str, kind: str) -> str:
    return rf"(?!{word.upper()})(?i:{word})" if kind in ("BREAK", "CONTINUE") else rf"(?i:{word})"


def _statement(pattern: str, kind: str) -> Rule:
    """A keyword; what stands behind it is the name of a block, or an operand, which is not a keyword."""
    keyword = rf"{_NO_WORD_BEFORE}({pattern})"
    if kind in _NAMED:
        return _match(rf"{keyword}(?:\s+({_WORD}))?", {1: "keyword", 2: "title"})
    if kind in _EXPECTS_OPERAND:
        return _before_operand(keyword, "keyword")
    return _match(keyword, {1: "keyword"})


def _before_operand(pattern: str, kind: Kind) -> Rule:
    """A word or sign with an operand behind it on its line."""
    return {
        "begin": rf"{pattern}[ \t]*",
        "beginCaptures": {"1": {"name": SCOPES[kind]}},
        "end": r"(?!\G)|(?=[{})\]:,;]|$)",
        "patterns": _include("#operand"),
    }


def _words() -> Iterator[Rule]:
    """Words that are operators behind an operand."""
    named = "|".join(word for word in keywords.INNER_WORDS if word not in ("and", "or", "not"))
    yield _before_operand(rf"{_BEHIND}((?i:and|or)|{named})(?!\w)", "word-operator")
    yield _before_operand(r"^\s*(and|or)(?!\w)(?=[ \t]+[\w@$(!])", "word-operator")
    yield _before_operand(rf"{_NO_WORD_BEFORE}(not)(?!\w)", "word-operator")


def _comprehension() -> Rule:
    return _before_operand(rf"(?:{_BEHIND}|^\s*)((?i:for|if))(?!\w)", "keyword")


def _fragment_use() -> Iterator[Rule]:
    yield _chain(
        rf"{_NO_WORD_BEFORE}(?:(Frag)|((?i:frag)))(?!\w)\s+({_WORD})",
        {1: "keyword", 2: "keyword", 3: "fragment"},
        "fragment",
    )
    yield _match(rf"{_NO_WORD_BEFORE}(Frag)(?!\w)", {1: "keyword"})


def _bracket(opening: str, closing: str) -> Rule:
    """What is in brackets; those left open end where a block or the next statement begins, as for the scanner."""
    documented = "|".join(sorted(keywords.DOCUMENTED_WORDS))
    role = rf"(?=\p{{Lu}})(?i:{'|'.join(sorted(ROLES))})\s*:(?!=)"
    return {
        "begin": re.escape(opening),
        "beginCaptures": {"0": {"name": SCOPES["punctuation"]}},
        "end": rf"({re.escape(closing)})|(?=[{{}}])|(?=^\s*(?:(?:{documented})(?!\w)|{role}))",
        "endCaptures": {"1": {"name": SCOPES["punctuation"]}},
        "patterns": _include("#inside"),
    }


def _chains() -> Iterator[Rule]:
    """Words with what hangs on them; fields are what their word is."""
    names = "|".join(NAMESPACES)
    yield _chain(rf"{_NO_WORD_BEFORE}({names})(?!\w)(?={_GOES_ON})", {1: "namespace"}, "field")
    yield _chain(rf"{_BEGINS}({_CAPS})", {1: "template"}, "template")
    yield _chain(rf"{_BEGINS}({_WORD})(?=\s*\()", {1: "function"}, "function")
    yield _chain(r"(@(?:\$?\w+)?|#msg\b)", {1: "index"}, "index")
    yield _chain(rf"(\${_WORD})", {1: "reference"}, "reference")
    yield _chain(rf"{_BEGINS}({_WORD})", {1: "path"}, "path")


def _chain(begin: str, kinds: dict[int, Kind], fields: Kind) -> Rule:
    return {
        "begin": begin,
        "beginCaptures": {str(group): {"name": SCOPES[kind]} for group, kind in kinds.items()},
        "end": rf"(?!{_GOES_ON})",
        "patterns": [_match(_FIELDS, {0: fields}), *_include("#brackets")],
    }


def _signs() -> Iterator[Rule]:
    yield _match(rf"{_FIELDS}", {0: "path"})
    yield _match(r"[{}()\[\]:,;]", {0: "punctuation"})
    yield _match(r"[^\s\w]", {0: "punctuation"})
