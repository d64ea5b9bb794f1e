"""Which productions of the grammar a text uses: the automaton of Lark run over the package's own tokens."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from lark import Lark
from lark.common import LexerConf
from lark.lexer import Lexer, LexerState, Token
from lark.parsers.lalr_analysis import Shift

from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.language.syntax.balance import balance
from acdl_mkdocs.language.syntax.tables import GRAMMAR
from acdl_mkdocs.language.syntax.tokenize import tokenize


class _NoLexer(Lexer):
    """The tokens are the package's."""

    def __init__(self, conf: LexerConf) -> None:
        pass

    def lex(self, lexer_state: LexerState, parser_state: object) -> Iterator[Token]:
        raise NotImplementedError


@cache
def _table() -> Any:  # of Lark, which has no types for it
    lark = Lark(GRAMMAR.read_text("utf-8"), parser="lalr", lexer=_NoLexer, keep_all_tokens=True)
    return lark, lark.parser.parser._parse_table


def _said(rule: Any) -> str:
    return f"{rule.origin.name}: {' '.join(str(symbol.name) for symbol in rule.expansion)}"


def productions() -> set[str]:
    """Every production that does not stand for a mistake, as `block: LBRACE items RBRACE`."""
    return {_said(rule) for rule in _table()[0].rules if "BROKEN" not in _said(rule)}


def used(text: str) -> set[str]:
    """The productions that a text without a syntax error uses."""
    table = _table()[1]
    cut = tokenize(text)
    tokens = balance(Source(text), cut.tokens, cut.comments).tokens
    states, at, found = [table.start_states["start"]], 0, set[str]()
    while states[-1] != table.end_states["start"]:
        kind, argument = table.states[states[-1]][tokens[at].kind]
        if kind is Shift:
            states.append(argument)
            at += 1
            continue
        found.add(_said(argument))
        if argument.expansion:
            del states[-len(argument.expansion) :]
        if argument.origin.name == "start":
            break
        states.append(table.states[states[-1]][argument.origin.name][1])
    return found
