"""Spellings other than those that the reference documents, and their documented form.

Spelling is not part of the tree, so this reads the text a second time, word by word. Typography (curly quotes, `≤`,
dashes), `RoleFrag`, the connectives and the colons of `Switch` and `Case` are never reported. Nothing is reported on
lines with syntax errors.
"""

import re
from collections.abc import Iterable, Iterator

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.diagnostics import TextEdit
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.edits import format_expression
from acdl_mkdocs.language.syntax.nodes import Expression, Group, NameDef, Operation, Path, TimeIndex
from acdl_mkdocs.language.syntax.tokens import N_WORDS_OF_TEXT, ROLES, Token, Tokens, Trivia, is_all_caps


@dataclass(frozen=True, slots=True)
class Spelling:
    """One place that is spelled in another way."""

    span: Span
    text: str
    """The words there, short enough for a message."""
    documented: str
    """The same in the spelling of the reference."""
    edits: tuple[TextEdit, ...] = ()
    """The edits that replace the spelling; empty if they cannot be made word by word."""
    is_safe: bool = True
    """Whether the tree stays the same."""
    reason: tuple[str, str, str] | None = None
    """The problem, its reason and the help, if it is more than another spelling."""


_WORDS = {
    "FOREACH": "ForEach",
    "IF": "If",
    "ELSEIF": "ElseIf",
    "ELSE": "Else",
    "SWITCH": "Switch",
    "CASE": "Case",
    "DEFAULT": "Default",
    "MARK": "Mark",
    "NAME": "Name",
    "BREAK": "break",
    "CONTINUE": "continue",
    "FRAG": "Frag",
    "STRING_FRAGMENT": "StrFrag",
    "ROLES_FRAGMENT": "RolesFrag",
    "FOR": "for",
}
"""The documented word of every kind of keyword that is one word."""
_BLOCKS = frozenset(("IF", "ELSEIF", "ELSE", "MARK"))
"""Keywords whose block has no colon before its brace in the reference."""
_DEFINITIONS = frozenset(("PROMPT", "STRING_FRAGMENT", "ROLES_FRAGMENT"))
_HEADS = _BLOCKS | _DEFINITIONS | {"FOREACH", "SWITCH", "CASE", "DEFAULT", "NAME"}
"""Keywords after which the brace, or the `:=`, is still to come."""
_SPELLED_KINDS = frozenset((*_WORDS, "ROLE", "ENDS_HERE", "ENDS_WHEN"))
"""Kinds of words that can be spelled in several ways."""
_SCANNED_KINDS = _SPELLED_KINDS | {"LBRACE", "COMMA", "SEPARATOR", "MARKER", "PROMPT", "COMPARE", "ASSIGN"}
_STRUCTURE_KINDS = _HEADS | {"LPAR", "RPAR", "LSQB", "RSQB", "LBRACE", "RBRACE"}
"""Kinds that determine where in the text the next token is."""
_KEYWORDS = frozenset((*(word.lower() for word in _WORDS.values()), "and", "or", "not", "in", "every", "role"))
"""Words that are plain only because of what follows them."""
_CONTINUES = frozenset(
    "LBRACE COLON LPAR LSQB MINUS PLUS TIMES FIELDS COMPARE AND OR ELLIPSIS MARKER".split()  # noqa: SIM905  # short
)
"""Words that would belong to the text before them if nothing separated the two."""
_BRACES, _HANGING = frozenset(("LBRACE", "RBRACE")), frozenset(("FIELDS", "LSQB", "LPAR"))
_ENDS = _BRACES | {"$END"}
_N_LOOKED = 8
"""The number of tokens to check on each side of a separator, however long the line is."""
_OPERANDS = frozenset(("IDENT", "FIELDS", "REFERENCE", "TIME", "RSQB", "RPAR"))


def find_spellings(text: str, cut: Tokens) -> Iterator[Spelling]:
    """Yield every word and sign that is not spelled as documented, in text order.

    `loop_spellings` handles the headers of loops, `comment_spellings` comments.
    """
    scan = _SpellingScanner(text, cut.tokens)
    for at, token in enumerate(cut.tokens):
        if token.kind in _SCANNED_KINDS:
            yield from scan.scan_token(at, token)
        elif token.is_first and token.kind in ("LSQB", "LPAR"):
            yield from scan.scan_bracket(at, token)
        scan.update_stacks(at, token)
    yield from scan.report_separators()
    yield from scan.report_lists()


class _SpellingScanner:
    """The state of the scan between two tokens."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.head = ""  # kind of the keyword whose brace is still to come
        self.head_at = 0
        self.brackets: list[str] = []  # kinds of the open brackets; "call" for parentheses after a name
        self.depth = 0
        self.block = 0  # number of the block around the token
        self.blocks = [0]
        self.n_blocks = 0
        self.commas: dict[tuple[int, str], list[int]] = {}  # separators between contents, by block
        self.bullets: dict[int, list[int]] = {}  # dashes before contents, by block
        self.is_role_line = False  # after a role on its line, without a brace since
        self.joining: set[tuple[int, str]] = set()  # those that show what belongs to a role without braces

    def scan_token(self, at: int, token: Token) -> Iterator[Spelling]:
        kind = token.kind
        if kind in _SPELLED_KINDS:
            yield from self.scan_word(at, token)
        elif kind == "LBRACE":
            yield from self.scan_brace(at, token)
        elif kind in ("COMMA", "SEPARATOR"):
            if not self.brackets and not self.head:
                self.note_separator(at, token)
        elif kind == "MARKER":
            yield from self.scan_mark(at, token)
        elif kind == "PROMPT" and self.depth == 0:
            begins = at == 0 or self.tokens[at - 1].kind == "RBRACE"
            yield _drop_prompt(token, self.tokens[at + 1], begins=begins)
        elif kind == "COMPARE":
            yield from self.scan_comparison(token)
        elif kind == "ASSIGN":
            head, self.head = self.head, ""
            keyword = self.tokens[self.head_at] if head == "NAME" else None
            if token.text != ":=" and keyword is not None and not _is_other_name(keyword):
                yield replace_word(token.span, token.text, ":=")

    def scan_mark(self, at: int, token: Token) -> Iterator[Spelling]:
        """Report the mark of a figure; a dash is noted as part of a list."""
        if token.text in "+*" and token.end == self.tokens[at + 1].start:
            yield _mark_spelling(token, self.tokens[at + 1])
        else:
            self.bullets.setdefault(self.blocks[-1], []).append(at)

    def note_separator(self, at: int, token: Token) -> None:
        """Note a separator; in `S: A, B` only it shows that the second content belongs to the role."""
        block, after = (self.blocks[-1], token.text), self.tokens[at + 1]
        self.commas.setdefault(block, []).append(at)
        if self.is_role_line and not after.is_first and after.kind not in ("ROLE", "RBRACE", "$END"):
            self.joining.add(block)

    def update_stacks(self, at: int, token: Token) -> None:
        """Update the state with a token."""
        kind = token.kind
        if kind == "ROLE":
            self.is_role_line = True
        elif self.is_role_line and (token.is_first or kind in ("LBRACE", "RBRACE")):
            self.is_role_line = False
        if kind not in _STRUCTURE_KINDS:
            return
        if kind in _HEADS and not self.brackets:
            self.head, self.head_at = kind, at
        elif kind in ("LPAR", "LSQB"):
            is_call = kind == "LPAR" and at and self.tokens[at - 1].kind in _OPERANDS
            self.brackets.append("call" if is_call else kind)
        elif kind in ("RPAR", "RSQB"):
            del self.brackets[-1:]
        elif kind == "LBRACE":
            self.n_blocks += 1
            self.blocks.append(self.n_blocks)
            self.depth += 1
            self.head, self.brackets = "", []
        elif kind == "RBRACE":
            del self.blocks[max(len(self.blocks) - 1, 1) :]
            self.depth = max(self.depth - 1, 0)
            self.head, self.brackets = "", []

    def scan_word(self, at: int, token: Token) -> Iterator[Spelling]:
        """Report a keyword or a role in another spelling."""
        text = token.text
        if token.kind == "ROLE":
            letter = ROLES[text.split()[-1].lower()][0].upper()
            is_bare = self.tokens[at + 1].kind == "LBRACE"
            if at and _may_be_keyword(self.tokens[at - 1]):
                return
            if text != letter or is_bare:
                yield replace_word(token.span, text if is_bare else f"{text}:", f"{letter}:", letter + ":" * is_bare)
        elif token.kind in ("ENDS_HERE", "ENDS_WHEN"):
            documented = " ".join(("PromptEndsHere", *("when" for _ in text.split()[1:])))
            if text.split()[0].lower() != "end" and " ".join(text.split()) != documented:
                yield replace_word(token.span, text, documented)
        elif _is_other_name(token):
            yield _name_spelling(token, self.tokens[at + 1], self.tokens[at + 2])
        elif token.kind == "FOREACH" or (token.kind == "IF" and self.brackets):
            return
        elif text not in (_WORDS[token.kind], "RoleFrag"):
            yield replace_word(token.span, text, _WORDS[token.kind])

    def scan_bracket(self, at: int, token: Token) -> Iterator[Spelling]:
        """Report a bracket that begins a line and still continues the content before it."""
        is_content = self.depth and not self.brackets and not self.head
        if is_content and self.tokens[at - 1].kind in _OPERANDS:
            what = "an index" if token.kind == "LSQB" else "arguments"
            why = (
                f"`{token.text}` begins a line and continues the content before it",
                f"read as {what}: line breaks have no meaning",
                "move it behind that content, or write `;` before it to begin another",
            )
            between = Span(self.tokens[at - 1].end, token.start)
            edits = () if self.text[between.start : between.end].strip() else (TextEdit(between, ""),)
            yield Spelling(token.span, token.text, "", edits, is_safe=False, reason=why)

    def scan_brace(self, at: int, token: Token) -> Iterator[Spelling]:
        """Report a block with an extra colon, or a title without one."""
        before = self.tokens[at - 1] if at else token
        has_colon = before.kind == "COLON"
        if self.head in _BLOCKS and has_colon:
            keyword = _WORDS[self.head]
            rest = " ..." if before.start > self.tokens[self.head_at].end and at - self.head_at > 2 else ""
            edit = TextEdit(before.span, "")
            yield Spelling(before.span, f"{keyword}{rest}: {{", f"{keyword}{rest} {{", (edit,))
        is_title = self.head in _DEFINITIONS or (not self.head and self.depth == 0 and before.kind in ("IDENT", "RSQB"))
        if is_title and not has_colon and not (before.kind == "IDENT" and before.text.lower() in ROLES):
            edit = TextEdit(Span(before.end, before.end), ":")
            title = Span(self.title_start(at - 1), before.end)
            title_text = " ".join(self.text[title.start : title.end].split())
            yield Spelling(title, f"{title_text} {{", f"{title_text}: {{", (edit,))

    def title_start(self, at: int) -> int:
        """Return the start of the name whose last word or closing bracket has that index."""
        n_open = 0
        while at > 0:
            kind = self.tokens[at].kind
            n_open += (kind in ("RSQB", "RPAR")) - (kind in ("LSQB", "LPAR"))
            if n_open <= 0 and kind not in ("LSQB", "LPAR"):
                break
            at -= 1
        return self.tokens[at].start

    def scan_comparison(self, token: Token) -> Iterator[Spelling]:
        """Report `=` and `<>` in a condition; inside the brackets of a title or call, `=` has another meaning."""
        inner = self.brackets[-1] if self.brackets else ""
        if token.text == "<>":
            yield replace_word(token.span, "<>", "!=")
        elif token.text == "=" and inner not in ("LSQB", "call"):
            yield replace_word(token.span, "=", "==")

    def report_separators(self) -> Iterator[Spelling]:
        """Report commas and semicolons between contents, once per block."""
        for (block, sign), separators in self.commas.items():
            places = [at for at in separators if self.tokens[at + 1].kind not in _CONTINUES]
            if not places:  # what follows would belong to the content before it
                continue
            edits: list[TextEdit] = []
            cure = f"leave the `{sign}` out"
            for at in places:
                token, after = self.tokens[at], self.tokens[at + 1]
                before = self.tokens[at - 1] if at else token
                if self.is_in_words(at):
                    edits, cure = [], "write each of the words on a line of its own"
                    break
                if before.kind in ("LBRACE", token.kind) or _are_keywords(before, after):
                    edits = []
                    break
                is_tight = token.end < len(self.text) and not self.text[token.end].isspace() and after.kind != "$END"
                edits.append(TextEdit(token.span, " " if is_tight else ""))
            first = self.tokens[places[0]]
            why = (f"contents are separated by `{sign}`", "white space separates them", cure)
            is_safe = (block, sign) not in self.joining
            yield Spelling(first.span, sign, " ", tuple(edits), is_safe=is_safe, reason=why)

    def report_lists(self) -> Iterator[Spelling]:
        """Report contents written as a list with dashes, once per block."""
        for places in self.bullets.values():
            first = self.tokens[places[0]]
            edits = [TextEdit(Span(self.tokens[at].start, self.tokens[at + 1].start), "") for at in places]
            message = f"contents are listed with `{first.text}`"
            cure = f"leave the `{first.text}` out" if len(places) == 1 else f"leave every `{first.text}` out"
            why = (message, "white space separates them", cure)
            yield Spelling(first.span, first.text, "", tuple(edits), reason=why)

    def is_in_words(self, at: int) -> bool:
        """Return whether the words around a separator would read like prose without it; when in doubt, yes."""
        first = last = at
        while at - first < _N_LOOKED and not self.tokens[first].is_first and self.tokens[first - 1].kind not in _BRACES:
            first -= 1
        while last - at < _N_LOOKED and self.tokens[last + 1].kind not in _ENDS and not self.tokens[last + 1].is_first:
            last += 1
        n_words = depth = 0
        for idx in range(first, last + 1):
            kind = self.tokens[idx].kind
            depth = max(depth + (kind in ("LPAR", "LSQB")) - (kind in ("RPAR", "RSQB")), 0)
            n_words += not depth and self.is_word(idx)
        return n_words >= N_WORDS_OF_TEXT

    def is_word(self, at: int) -> bool:
        """Return whether a token is a bare word: no template, without index, arguments or fields."""
        token = self.tokens[at]
        return token.kind == "IDENT" and not is_all_caps(token.text) and self.tokens[at + 1].kind not in _HANGING


def replace_word(span: Span, written: str, documented: str, text: str | None = None) -> Spelling:
    """Replace one word or sign by another; `text` is the replacement if more is written than shown."""
    edit = TextEdit(span, documented if text is None else text)
    return Spelling(span, " ".join(written.split()), documented, (edit,))


def _is_other_name(token: Token) -> bool:
    """Return whether a token is the `let` of another language."""
    return token.kind == "NAME" and token.text.lower() != "name"


def _name_spelling(word: Token, name: Token, sign: Token) -> Spelling:
    """Return the spelling of `let x =`."""
    edits = (TextEdit(word.span, "Name"), TextEdit(sign.span, ":="))
    return Spelling(Span(word.start, sign.end), f"{word.text} {name.text} {sign.text}", f"Name {name.text} :=", edits)


def _mark_spelling(token: Token, template: Token) -> Spelling:
    edit = TextEdit(token.span, "")
    written = token.text + template.text
    why = (f"`{written}` begins with a mark", "figures draw it, specs do not have it", f"write `{template.text}`")
    return Spelling(token.span, written, template.text, (edit,), reason=why)


def _drop_prompt(token: Token, name: Token, *, begins: bool) -> Spelling:
    edits = (TextEdit(Span(token.start, name.start), ""),) if begins else ()
    return Spelling(token.span, f"{token.text} {name.text}", name.text, edits)


def _are_keywords(before: Token, after: Token) -> bool:
    """Return whether one of two plain words might be a keyword if nothing separated them."""
    return _may_be_keyword(before) or _may_be_keyword(after)


def _may_be_keyword(token: Token) -> bool:
    """Return whether a plain word might be a keyword if something else followed it."""
    word = token.text.lower()
    return token.kind == "IDENT" and (word in _KEYWORDS or (word in ROLES and token.is_first))


_SIGN = re.compile(r"\s*(:?=)")
_NAME_BEFORE = re.compile(r"(?:^|[\s{:;,])([@$]?[^\W\dA-Z]\w*)[ \t]*,\s*$")
_LONGEST_VALUE = 60
_N_BEFORE = 200
"""The number of characters before an assignment to search for another name."""


def assignment_spellings(source: Source, definitions: Iterable[NameDef]) -> Iterator[Spelling]:
    """Yield the assignments of one plain name without `Name`."""
    for node in definitions:
        (target, *others), name = node.targets, plain_name(node)
        if has_keyword(node) or others or not name or name_before(source, node):
            continue
        sign = _SIGN.match(source.text, target.span.end)
        span = Span(node.span.start, sign.end() if sign else target.span.end)
        documented = f"Name {name} :="
        edits = (TextEdit(span, documented),) if sign else ()
        value = source.one_line(node.value.span.start, node.value.span.end)
        cure = f"write `{documented} {value if len(value) <= _LONGEST_VALUE else '...'}`"
        reason = (f"`{name}` gets a value without `Name`", "read as a `Name`", cure)
        yield Spelling(span, source.one_line(span.start, span.end), documented, edits, reason=reason)


def has_keyword(node: NameDef) -> bool:
    """Return whether the definition begins with `Name`."""
    return node.span.start != node.targets[0].span.start


def plain_name(node: NameDef) -> str:
    """Return the name that a definition of one whole value defines; empty for an element or anything without a name."""
    target = node.targets[0]
    return target.name if isinstance(target, (Path, TimeIndex)) and not target.parts else ""


def name_before(source: Source, node: NameDef) -> Span | None:
    """Return the name before a comma in an assignment without `Name`: `docs, scores = find(x)`."""
    if has_keyword(node):
        return None
    first = max(node.span.start - _N_BEFORE, 0)
    match = _NAME_BEFORE.search(source.text[first : node.span.start])
    return Span(first + match.start(1), first + match.end(1)) if match else None


def comment_spellings(text: str, cut: Tokens) -> Iterator[Spelling]:
    """Yield every comment that is not spelled as documented, in text order."""
    spellings = (_comment_spelling(comment, text) for comment in cut.comments if not comment.is_host_text)
    yield from (each for each in spellings if each is not None)


def _comment_spelling(comment: Trivia, text: str) -> Spelling | None:
    """Return the spelling of a comment that does not begin with `//`; `None` for others."""
    start, end = comment.span.start, comment.span.end
    if text.startswith("//", start):
        return None
    if text[start] == "#":
        sign = "// " if text.startswith("/", start + 1) else "//"
        return replace_word(Span(start, start + 1), "#", "//", sign)
    if text[start] == "-":
        sign = text[start:end].split()[0]
        return replace_word(Span(start, start + len(sign)), sign, "//")
    written, n_open, n_close = ("<!-- ... -->", 4, 3) if text[start] == "<" else ("/* ... */", 2, 2)
    line_end = text.find("\n", end)
    is_last = not text[end : line_end if line_end >= 0 else len(text)].strip()
    lines = text[start + n_open : end - n_close].split("\n")
    if not is_last or (len(lines) > 1 and text[text.rfind("\n", 0, start) + 1 : start].strip()):
        return Spelling(comment.span, written, "// ...")
    if len(lines) == 1:
        return Spelling(comment.span, written, "// ...", (TextEdit(comment.span, f"// {lines[0].strip()}"),))
    sentences = [line.strip().removeprefix("*").strip() for line in lines]
    indent = text[text.rfind("\n", 0, start) + 1 : start]
    joined = f"\n{indent}".join(f"// {line}" for line in sentences if line)
    return Spelling(comment.span, written, "// ...", (TextEdit(comment.span, joined),), is_safe=False)


IN_BRACKETS: re.Pattern[str] = compile_later(r"@\s*[(\[]")
"""The beginning of such a time."""


def time_spellings(source: Source, values: Iterable[TimeIndex | Operation | Group]) -> Iterator[Spelling]:
    """Yield times in brackets with their documented spelling."""
    grouped = {each.value.span.start for each in values if isinstance(each, Group) and each.span == each.value.span}
    for value in values:
        if isinstance(value, (TimeIndex, Operation)) and _is_in_brackets(value, source):
            time_text = format_expression(value)
            documented = f"({time_text})" if value.span.start in grouped else time_text
            span, source_text = value.span, source.one_line(value.span.start, value.span.end)
            yield Spelling(span, source_text, documented, (TextEdit(span, documented),))


def _is_in_brackets(value: Expression, source: Source) -> bool:
    if isinstance(value, Operation) and value.operands[0].span.start == value.span.start:
        return False
    is_time = not isinstance(value, TimeIndex) or bool(value.name)
    return is_time and IN_BRACKETS.match(source.text, value.span.start) is not None
