"""Model tokens of a corpus of our own in every spelling, and of what is said about PML and LAIC.

`python benchmarks/tokens.py` prints all tables and writes them as JSON; `--page NAME` prints one of them as it stands
in the documentation. The counts are the same on every machine.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from token_claims import claims
from token_corpus import EXACT, corpus, files_of, sums

from acdl_mkdocs.foundation.errors import MissingExtraError
from acdl_mkdocs.prompts.prompt import Attachment, Call
from acdl_mkdocs.prompts.tokens.compare import COST_PARTS as PARTS
from acdl_mkdocs.prompts.tokens.counter import counter
from acdl_mkdocs.prompts.tokens.spellings import BASE

ROOT = Path(__file__).parent.parent

Cells = tuple[str, ...]


def main() -> None:
    """Count, print, write."""
    parser = argparse.ArgumentParser(description="Count the model tokens of the corpus.")
    parser.add_argument("--page", choices=tuple(PAGES), help="print one table as it stands in the documentation")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "bench-tokens.json", help="file for the results")
    args = parser.parse_args()
    if args.page:
        print(PAGES[args.page]())
        return
    names, skipped = available()
    for name, table in PAGES.items():
        print(f"{name}\n\n{table()}\n")
    for name in names[len(EXACT) :]:
        print(f"{name}\n\n{spellings_table(name)}\n")
    print("\n".join(skipped))
    result: dict[str, object] = {"spellings": {name: sums(name) for name in names}, "skipped": skipped}
    result["claims"] = [asdict(each) for each in claims()]
    args.json.parent.mkdir(parents=True, exist_ok=True)
    args.json.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", "utf-8")


def available() -> tuple[list[str], list[str]]:
    """Encodings that can be counted here, and why others cannot."""
    try:
        counter("claude")
    except MissingExtraError as reason:
        return [*EXACT], [f"claude is not counted: {reason}"]
    return [*EXACT, "claude"], []


def spellings_table(encoding: str) -> str:
    """Tokens of the whole corpus by spelling, with ratios to compact JSON."""
    found = sums(encoding)
    base = found[BASE]
    rows = [(name, *(_cell(name, tokens, base, part) for part in PARTS)) for name, tokens in found.items()]
    return table([(f"`{encoding}`", *PARTS), *rows])


def _cell(name: str, tokens: Mapping[str, int], base: Mapping[str, int], part: str) -> str:
    if part not in tokens:
        return "-"
    return f"{tokens[part]:,}" if name == BASE else f"{tokens[part]:,} ({tokens[part] / base[part]:.2f})"


def around_table() -> str:
    """Tokens that stand around a file and around a message, on average."""
    files = files_of(corpus().values())
    n_messages = sum(message.role != "tool" for prompt in corpus().values() for message in prompt.messages)
    rows = []
    for name, tokens in sums(EXACT[0]).items():
        if "whole" in tokens:
            cells = []
            for encoding in EXACT:
                mine = sums(encoding).get(name)
                raw = sum(map(counter(encoding).count, files))
                around = [] if mine is None else [(mine["files"] - raw) / len(files), mine["wrapping"] / n_messages]
                cells += [f"{each:.1f}" for each in around] or ["-", "-"]
            rows.append((name, *cells))
    head = [f"{what}, `{encoding}`" for encoding in EXACT for what in ("a file", "a message")]
    return table([("around", *head), *rows])


def corpus_table() -> str:
    """What the corpus has."""
    rows = []
    for name, prompt in corpus().items():
        calls = sum(isinstance(part, Call) for each in prompt.messages for part in each.parts)
        files = sum(isinstance(part, Attachment) for each in prompt.messages for part in each.parts)
        tools = ", ".join(f"`{tool.name}`" for tool in prompt.tools)
        rows.append((f"`{name}`", tools, str(len(prompt.messages)), str(calls), str(files)))
    return table([("file", "tools", "messages", "calls", "files"), *rows], is_text=True)


def claims_table() -> str:
    """What is said, counted and found."""
    head = ("the proposal says", f"counted, `{EXACT[0]}` / `{EXACT[1]}`", "in this corpus")
    return table([head, *((each.said, each.counted or "-", each.verdict) for each in claims())], is_text=True)


def table(cells: Sequence[Cells], *, is_text: bool = False) -> str:
    """Rows of Markdown."""
    rule = ("---", *("---" if is_text else "--:" for _ in cells[0][1:]))
    return "\n".join(f"| {' | '.join(row)} |" for row in (cells[0], rule, *cells[1:]))


PAGES: Mapping[str, Callable[[], str]] = {
    "corpus": corpus_table,
    "o200k_base": lambda: spellings_table("o200k_base"),
    "cl100k_base": lambda: spellings_table("cl100k_base"),
    "around": around_table,
    "claims": claims_table,
}


if __name__ == "__main__":
    main()
