"""acdl pml parts: list the parts of a PML document with their path, id, line, size and first words."""

import argparse

from acdl_mkdocs.foundation.safe_text import mask_controls, one_line
from acdl_mkdocs.frontends.cli.pml.files import add_document, print_json, read_usable
from acdl_mkdocs.frontends.cli.pml.segments import element_of, hint_of, words_of
from acdl_mkdocs.prompts.pml.segments import get_id, segments
from acdl_mkdocs.prompts.pml.tools import index_by_name
from acdl_mkdocs.prompts.prompt import Json

_WIDTH = 48


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the action."""
    add_document(parser)
    parser.add_argument("--format", choices=("terminal", "json"), default="terminal", help="output format")


def run(args: argparse.Namespace) -> int:
    """List the parts; return 1 if the document has errors, 2 if it cannot be read."""
    document, prompt = read_usable(args)
    tools = index_by_name(prompt.tools)
    rows: list[Json] = []
    for segment in segments(prompt):
        place = document.source.find_place(element_of(document, segment).start)
        words = words_of(segment.value)
        row: dict[str, Json] = {"path": segment.path, "id": get_id(segment.value)}
        row |= {"line": place.line, "column": place.column}
        row |= {
            "n_characters": None if words is None else len(words),
            "begins": _cut_words(hint_of(segment.value, tools)),
        }
        rows.append(row)
    if args.format == "json":
        print_json({"kind": document.kind, "parts": rows})
    else:
        _print_table([each for each in rows if isinstance(each, dict)])
    return int(document.has_errors)


def _cut_words(words: str) -> str:
    return one_line(words[: 4 * _WIDTH], _WIDTH)


def _print_table(rows: list[dict[str, Json]]) -> None:

    def cells(row: dict[str, Json]) -> list[str]:
        size = "" if row["n_characters"] is None else str(row["n_characters"])
        name = f"#{row['id']}" if row["id"] is not None else ""
        return [mask_controls(each) for each in (f"{row['path']}", name, f"{row['line']}", size, f"{row['begins']}")]

    table = [["path", "id", "line", "size", "begins"], *map(cells, rows)]
    widths = [max(len(row[column]) for row in table) for column in range(5)]
    for path, name, line, size, begins in table:
        columns = (path.ljust(widths[0]), name.ljust(widths[1]), line.rjust(widths[2]), size.rjust(widths[3]), begins)
        print("  ".join(columns).rstrip())
