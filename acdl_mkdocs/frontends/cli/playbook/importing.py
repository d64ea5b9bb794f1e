"""Import files in other formats into a playbook: through the curator, or as a whole if there is none yet."""

import argparse
import re
from dataclasses import replace
from pathlib import Path

from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.frontends.cli.playbook.exporting import report_unreadable
from acdl_mkdocs.frontends.cli.playbook.files import playbook_at, standard_input, time_of
from acdl_mkdocs.frontends.cli.playbook.git import cover_playbook
from acdl_mkdocs.frontends.cli.writing import print_sentence
from acdl_mkdocs.playbook.exchange import EXCHANGES, format_of
from acdl_mkdocs.playbook.exchange.read_lessons import NAME, Problem, ReadPlaybook
from acdl_mkdocs.playbook.model.bullets import Playbook
from acdl_mkdocs.playbook.model.delta import Delta

_MARK = "<!-- acdl-playbook:begin "
_ANY_MARK = "acdl-playbook:"
_INSTRUCTIONS = ("agents.md", "claude.md", "gemini.md")
"""Files that have a playbook only as a block: their other lines are instructions, not lessons."""
_YAML = "yaml"
_TOP_KEY = re.compile("^schema_version[ ]*:", re.MULTILINE)
_BULLETS_KEY = re.compile("^bullets[ ]*:", re.MULTILINE)


def import_file(args: argparse.Namespace) -> int:
    """Add the contents of a file to a playbook, which is made if there is none."""
    try:
        data = standard_input().read() if args.file == "-" else Path(args.file).read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as problem:
        return report_unreadable(args.file, problem)
    except UnicodeDecodeError:
        print_error(f"{args.file}: is not UTF-8")
        return 2
    name = args.source_format or _format_of_name(args.file, text) or _sniff_format(text)
    is_whole = name == _YAML or EXCHANGES[name].is_whole
    read = _read_file(data, args.file) if name == _YAML else EXCHANGES[name].read(text)
    problems = [str(each) for each in read.problems]
    if read.playbook is not None and is_whole:
        problems += _find_contradictions(read.playbook)
    for each in problems:
        print_error(f"{args.file}: {each}")
    is_new = not args.playbook.exists()
    if read.playbook is None or (is_whole and problems):
        return _report_nothing(args, is_new=is_new, status=2)
    if not read.playbook.bullets:
        print_error(f"{args.file}: has no lessons that can be taken")
        return _report_nothing(args, is_new=is_new, status=1)
    status = int(any(not each.is_note for each in read.problems))
    if is_new and is_whole:
        return max(status, _make_playbook(read.playbook, args))
    return max(status, _add_lessons(read.playbook, args, is_new=is_new, is_whole=is_whole))


def _format_of_name(name: str, text: str) -> str | None:
    """Return the format by the name of a file; a playbook file is recognised by any name, other Markdown is text."""
    is_playbook = _TOP_KEY.search(text) and _BULLETS_KEY.search(text)
    if is_playbook or name.lower().endswith((".yaml", ".yml")):
        return _YAML
    format_name = format_of(name)
    is_block = _ANY_MARK in text or Path(name).name.lower() in _INSTRUCTIONS
    return None if format_name == "agents-md" and not is_block else format_name


def _read_file(data: bytes, name: str) -> ReadPlaybook:
    """Read a playbook file, and report everything that is wrong with it."""
    from acdl_mkdocs.playbook.exchange.read_lessons import TextChecker, safe_playbook
    from acdl_mkdocs.playbook.store.load import load_bytes

    loaded = load_bytes(data, name)
    if loaded.playbook is None:
        places = (loaded.source.find_place(each.label.span.start).line for each in loaded.problems)
        pairs = zip(places, loaded.problems, strict=True)
        return ReadPlaybook(None, tuple(Problem(line, each.message, "; ".join(each.help)) for line, each in pairs))
    wrong = TextChecker()
    playbook = safe_playbook(loaded.playbook, wrong)
    return ReadPlaybook(None if wrong.faults else playbook, tuple(Problem(None, each) for each in wrong.faults))


def _report_nothing(args: argparse.Namespace, *, is_new: bool, status: int) -> int:
    print_error(f"{args.playbook}: " + ("was not made" if is_new else "is as it was"))
    return status


def _find_contradictions(playbook: Playbook) -> list[str]:
    """Return contradictions between the parts of a whole playbook, each with its place in the file."""
    from acdl_mkdocs.playbook.store.checks import find_flaws

    return [
        f"{f'{each.kind}[{each.index}].' if each.kind else ''}{each.key}: {each.message}"
        + (f"; {each.help}" if each.help else "")
        for each in find_flaws(playbook)
    ]


def _sniff_format(text: str) -> str:
    """Return the format that a text looks like."""
    if text.lstrip().startswith("{"):
        return "json"
    if _MARK in text:
        return "agents-md"
    names = [name.strip() for name in text.partition("\n")[0].lower().replace(";", ",").split(",")]
    return "csv" if "content" in names else "text"


def _make_playbook(playbook: Playbook, args: argparse.Namespace) -> int:
    """Make a playbook from a whole one."""
    from acdl_mkdocs.playbook.store import create

    path: Path = args.playbook
    if args.dry_run:
        print_sentence(f"{path}: would be made, with {format_count(len(playbook.bullets), 'bullet')}")
        return 0
    create(path, playbook, time=time_of(args), actor=args.actor)
    cover_playbook(path)
    print_sentence(f"{path}: {format_count(len(playbook.bullets), 'bullet')} at revision {playbook.revision}")
    return 0


def _add_lessons(imported: Playbook, args: argparse.Namespace, *, is_new: bool, is_whole: bool) -> int:
    """Add imported lessons through the curator, and then everything else."""
    from acdl_mkdocs.frontends.cli.playbook.curating import NamedDelta, apply_deltas
    from acdl_mkdocs.frontends.cli.playbook.refining import ChosenJudge, refine_if_due
    from acdl_mkdocs.playbook.exchange.import_lessons import build_import_delta
    from acdl_mkdocs.playbook.store import create
    from acdl_mkdocs.playbook.store.history import find_used_ids
    from acdl_mkdocs.playbook.store.load import history_data

    path: Path = args.playbook
    origin = _origin_of(args)
    imported = replace(imported, name=path.stem) if imported.name == NAME else imported
    imported = imported if args.trust else _drop_trust(imported, args)
    first = replace(imported, revision=0, bullets=(), pairs=()) if is_new else playbook_at(path)
    used = find_used_ids(history_data(path) or b"")
    added = build_import_delta(first, imported, origin, used, is_whole=is_whole)
    for note in added.notes:
        print_error(f"{args.file}: {note}")
    if is_new and args.dry_run:
        return _preview_import(first, imported, added.delta, args)
    if is_new:
        create(path, first, time=time_of(args), actor=args.actor)
        cover_playbook(path)
    status = apply_deltas(
        [NamedDelta(args.file, added.delta)],
        args,
        lambda before, after: refine_if_due(before, after, ChosenJudge(), args),
    )
    _add_rest(imported, args, used)
    return status


def _drop_trust(imported: Playbook, args: argparse.Namespace) -> Playbook:
    from acdl_mkdocs.playbook.exchange.import_lessons import drop_trust

    plain, n_changed = drop_trust(imported)
    if n_changed:
        what = "taken without `pinned`, `severity: critical` and `by: person`; --trust keeps them"
        print_error(f"{args.file}: {format_count(n_changed, 'bullet')} {what}")
    return plain


def _preview_import(first: Playbook, imported: Playbook, delta: Delta, args: argparse.Namespace) -> int:
    """Print which playbook would be made."""
    from acdl_mkdocs.app.curate import curate
    from acdl_mkdocs.playbook.exchange.import_lessons import import_rest

    curated = curate(first, delta, args.actor)
    for each in curated.report.rejected:
        print_error(str(each))
    result = import_rest(curated.playbook, imported, _origin_of(args))
    print_sentence(f"{args.playbook}: would be made, with {format_count(len(result.playbook.bullets), 'bullet')}")
    return 1 if curated.report.rejected else 0


def _add_rest(imported: Playbook, args: argparse.Namespace, used: frozenset[str]) -> None:
    """Add what no operation can add, such as archived lessons and decisions, and print what it was."""
    from acdl_mkdocs.playbook.exchange.import_lessons import import_rest
    from acdl_mkdocs.playbook.model.curate import Curated
    from acdl_mkdocs.playbook.model.report import Report
    from acdl_mkdocs.playbook.store import update

    def change(playbook: Playbook) -> Curated:
        return Curated(import_rest(playbook, imported, _origin_of(args), used).playbook, Report())

    rest = import_rest(playbook_at(args.playbook), imported, _origin_of(args), used)
    if not args.dry_run and rest.notes:
        update(args.playbook, change, time=time_of(args), actor=args.actor, warn=print_error, op="IMPORT")
    for note in rest.notes:
        sentence = re.sub(" went ", " would go ", re.sub(" (was|were) ", " would be ", note)) if args.dry_run else note
        print_error(f"{args.playbook}: {sentence}")


def _origin_of(args: argparse.Namespace) -> str:
    return "standard input" if args.file == "-" else Path(args.file).name
