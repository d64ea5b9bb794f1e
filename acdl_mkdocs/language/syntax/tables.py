"""The parse table: `grammar.lark` compiled by Lark ahead of time, and loaded in a millisecond.

`python -m acdl_mkdocs.language.syntax.tables` (`make grammar`) writes `assets/grammar.json`; a test compares the two.
Only that command imports Lark, so a docs build does not pay for it.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from acdl_mkdocs.foundation.frozen import dataclass

GRAMMAR = Path(__file__).with_name("grammar.lark")
COMPILED = Path(__file__).parents[2] / "assets" / "grammar.json"


@dataclass(frozen=True, slots=True)
class Tables:
    """An LALR(1) automaton; state 0 is the start."""

    rows: tuple[dict[str, int], ...]
    """For every state what a terminal or a finished construct does: `n >= 0` goes to state n, `n < 0` applies rule
    `-n - 1`."""
    rules: tuple[tuple[str, int, str], ...]
    """For every rule: the construct it makes, how many pieces it takes, the action of `build.py`."""


@cache
def load_tables() -> Tables:
    """Return the compiled grammar of this package."""
    data = json.loads(COMPILED.read_text("utf-8"))
    return Tables(tuple(data["rows"]), tuple((name, size, action) for name, size, action in data["rules"]))


def compile_tables(grammar: str) -> str:
    """Compile a Lark grammar to the JSON that `load_tables` reads; the output is deterministic.

    Raises:
        lark.exceptions.GrammarError: The grammar is not LALR(1) or not well formed.
    """
    from lark import Lark
    from lark.common import LexerConf
    from lark.lexer import Lexer, LexerState, Token
    from lark.parsers.lalr_analysis import Shift

    class NoLexer(Lexer):
        """The tokens come from `tokenize.py`."""

        def __init__(self, conf: LexerConf) -> None:
            pass

        def lex(self, lexer_state: LexerState, parser_state: object) -> Iterator[Token]:
            raise NotImplementedError

    parser = Lark(grammar, parser="lalr", lexer=NoLexer, keep_all_tokens=True, maybe_placeholders=False)
    table = parser.parser.parser._parse_table
    numbers = {table.start_states["start"]: 0}
    order = [table.start_states["start"]]
    rules: dict[tuple[str, int, str], int] = {}
    rows: list[dict[str, int]] = []
    for state in order:  # grows while it runs: breadth first, symbols sorted, so the numbers never depend on hashing
        row: dict[str, int] = {}
        for symbol, (action, argument) in sorted(table.states[state].items()):
            if action is Shift:
                if argument not in numbers:
                    numbers[argument] = len(order)
                    order.append(argument)
                row[symbol] = numbers[argument]
            else:
                name = str(argument.origin.name)
                key = (name, len(argument.expansion), str(argument.alias or "same"))
                row[symbol] = -rules.setdefault(key, len(rules)) - 1
        rows.append(row)
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    kinds = ",\n".join(json.dumps(rule) for rule in rules)
    return f'{{"rules":[\n{kinds}\n],\n"rows":[\n{lines}\n]}}\n'


if __name__ == "__main__":
    COMPILED.write_text(compile_tables(GRAMMAR.read_text("utf-8")), "utf-8")
