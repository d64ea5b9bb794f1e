"""Compare all specs of two folders, of two revisions of one, or of two commits or pages, for `acdl diff`."""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from acdl_mkdocs.compare.folders import FOLDER_REPORTS, ComparedFile, FilePair, match_renamed, pair_files
from acdl_mkdocs.compare.formats import format_difference
from acdl_mkdocs.compare.formats.options import CompareOptions
from acdl_mkdocs.compare.revisions import (
    changed_files,
    files_of,
    files_with_uses,
    parse_revisions,
    read_revision,
    split_revision,
)
from acdl_mkdocs.compare.sent.sent import SentDifference
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.errors import UnknownSpecError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.real_path import fold_name, leads_out
from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.frontends.cli.comparing import (
    ComparedText,
    compare_messages,
    compare_structure,
    is_sent_wanted,
    print_text_problems,
    status_of,
    texts_of,
)
from acdl_mkdocs.frontends.cli.drawing import write_figure
from acdl_mkdocs.frontends.cli.messages import StoppedError, map_with_progress, print_error, should_color
from acdl_mkdocs.workspace.files import UnreadableFileError, read_bytes
from acdl_mkdocs.workspace.inputs import UnusableInputError
from acdl_mkdocs.workspace.page_kinds import ALSO_OTHERS, PAGE_KINDS, kind_of
from acdl_mkdocs.workspace.search import find_files, is_searched
from acdl_mkdocs.workspace.settings import load_settings

Files = dict[str, bytes]
_ENDINGS = (".acdl", *PAGE_KINDS)
_USES = re.compile(rb"acdl:(?:(?!acdl:).)*\buse\b|acdl:[^\S\n]*\n")
"""The bytes by which a text may name other files, whose fragments can differ though the text is equal."""


@dataclass(frozen=True, slots=True)
class ComparedSides:
    """The files to compare: their contents on both sides, by path, and their display names."""

    old: Files
    new: Files
    pairs: Sequence[FilePair]
    name: Callable[[str, bool], str]
    """A function that returns the display name of a file by its path, on the new side or the old one."""


def sides_of(args: argparse.Namespace) -> tuple[ComparedSides | None, bool]:
    """Return the sides, if they are compared file by file; and whether only one of the two is a folder.

    Raises:
        AcdlError, StoppedError, UnusableInputError: Something does not exist or cannot be read.
    """
    if args.git is not None:
        return _read_repository(args.git[0], args.git[1:]), False
    is_revised = any(split_revision(name) is not None for name in (args.old, args.new))
    old, new = (_read_folder(name, is_with_links=not is_revised) for name in (args.old, args.new))
    if old is not None and new is not None:
        tops = [name.rstrip("/") for name in (args.old, args.new)]
        pairs = _sort_pairs([*pair_files(old, new), *_list_equal(old, new, (args.old, args.new))])
        return ComparedSides(old, new, pairs, lambda path, is_new: f"{tops[is_new]}/{path}"), False
    if old is not None or new is not None:
        return None, True
    return _read_pages(args), False


def _read_repository(revisions: str, paths: Sequence[str]) -> ComparedSides:
    """Read the files that differ between two commits, and files that use others and so may differ."""
    revision_pair = parse_revisions(revisions)
    old, new = map(_without_others, changed_files(revision_pair, paths, _is_wanted))
    pairs = pair_files(old, new)
    users = {
        name: data
        for name, data in files_with_uses(revision_pair, paths, _is_wanted).items()
        if name not in (*old, *new)
    }
    same = [FilePair(name, name) for name, data in sorted(users.items()) if _USES.search(data)]
    return ComparedSides({**old, **users}, {**new, **users}, _sort_pairs([*pairs, *same]), revision_pair.file_name)


def _list_equal(old: Files, new: Files, tops: tuple[str, str]) -> list[FilePair]:
    """Return files with equal contents on both sides that may differ: by the files that they use, or by settings."""
    ranges_in = cache(partial(_find_ranges, tops=tops))
    equal = [path for path in sorted(new) if old.get(path) == new[path]]
    return [FilePair(path, path) for path in equal if _USES.search(new[path]) or len(ranges_in(Path(path).parent)) > 1]


def _find_ranges(inside: Path, tops: tuple[str, str]) -> set[RangeMode]:
    """Return how the settings of both folders read the ranges of files in a folder inside them."""
    folders = [(split_revision(top) or ("", top))[1] for top in tops]
    return {load_settings(Path(folder) / inside).config.range for folder in folders}


def _sort_pairs(pairs: Sequence[FilePair]) -> list[FilePair]:
    return sorted(pairs, key=lambda each: each.path)


def _is_wanted(path: str) -> bool:
    return path.lower().endswith(_ENDINGS)


def _without_others(files: Files) -> Files:
    """Return the files without those of Python and the like that do not mention ACDL, as a search finds them."""
    return {path: data for path, data in files.items() if kind_of(path) not in ALSO_OTHERS or b"acdl" in data}


def _read_folder(name: str, *, is_with_links: bool) -> Files | None:
    """Return the files of a folder, or of a revision of one; nothing if it is not a folder.

    Parameters:
        name: The display name of the folder.
        is_with_links: Whether symbolic links count as files. They never do in a revision.
    """
    if os.path.isdir(name):
        files, problems = find_files([name], load_settings)
        for problem in problems:
            print_error(problem)
        paths = [each.path for each in files if each.path and not _is_left_out(each.path, is_with_links=is_with_links)]
        return {path.relative_to(name).as_posix(): _read_bytes(path) for path in paths}
    revised = split_revision(name) if name != "-" else None
    if revised is None:
        return None
    top = Path(revised[1])
    below = files_of(*revised, lambda path: _is_wanted(path) and is_searched(top / path, top, load_settings))
    return None if below is None else _without_others(below)


def _is_left_out(path: Path, *, is_with_links: bool) -> bool:
    """Return whether a path is a link that does not count as a file here, or is broken."""
    return path.is_symlink() and not (is_with_links and path.exists())


def _read_bytes(path: Path) -> bytes:
    """Return the contents of a file.

    Raises:
        StoppedError: It cannot be read.
    """
    try:
        return read_bytes(path)
    except UnreadableFileError as reason:
        raise StoppedError(f"{path} {reason}") from None


def _read_pages(args: argparse.Namespace) -> ComparedSides | None:
    """Return two pages of which one has several specs, unless a spec is named."""
    names = args.old, args.new
    is_one_asked_for = any(each is not None for each in (args.spec, args.new_spec, args.state, args.new_state))
    if is_one_asked_for or not all(map(kind_of, names)):
        return None
    old, new = ((split_revision(name) or ("", name))[1] for name in names)
    before, after = _read_page(args.old), _read_page(args.new)
    if before is None or after is None:
        return None
    n_specs = len(texts_of(args.old, old, before)), len(texts_of(args.new, new, after))
    if min(n_specs) == 0 or max(n_specs) == 1:
        return None
    return ComparedSides({new: before}, {new: after}, [FilePair(new, new)], lambda _, is_new: str(names[is_new]))


def _read_page(name: str) -> bytes | None:
    """Return the contents of a page; nothing if there is none, which is reported elsewhere."""
    revised = split_revision(name)
    if revised is not None:
        return read_revision(*revised)
    return _read_bytes(Path(name)) if os.path.isfile(name) else None


def compare_folders(args: argparse.Namespace) -> int | None:
    """Compare folders and show the difference; return the exit status, or nothing if no folders are named.

    Raises:
        AcdlError, StoppedError: Something does not exist or cannot be read.
    """
    if args.git is not None and (args.old is not None or args.new is not None):
        named = args.old if args.old is not None else args.new
        cure = f"paths follow BASE without `--`: `--git {args.git[0]} {named}`"
        raise StoppedError(f"`--git` says both sides; {named} cannot be compared too; {cure}")
    sides, is_odd = sides_of(args)
    if is_odd:
        raise StoppedError("a folder is compared with a folder, and a file with a file; one of these is not a folder")
    if sides is None:
        return None
    if args.state is not None or args.new_state is not None or args.spec is not None or args.new_spec is not None:
        raise StoppedError("`--state` and `--spec` are for two files; `--at` takes the state beside each spec")
    if args.format in ("svg", "html") and args.output in (None, "-"):
        raise StoppedError(f"{args.format} of several files needs a folder: `-o FOLDER`")
    compared_files = [
        each
        for pair in map_with_progress(sides.pairs, lambda pair: tuple(_compare_pair(pair, sides, args)))
        for each in pair
    ]
    is_written = (
        _write_figures(compared_files, args) if args.format in ("svg", "html") else _write_report(compared_files, args)
    )
    return max((_status_of(each, args.exit) for each in compared_files), default=0) if is_written else 2


def _compare_pair(pair: FilePair, sides: ComparedSides, args: argparse.Namespace) -> Iterator[ComparedFile]:
    """Compare a pair of files; of pages, each spec. Equal texts under the same name are left out."""
    old_name = sides.name(pair.old, False) if pair.old is not None else None
    new_name = sides.name(pair.new, True) if pair.new is not None else None
    try:
        old = _read_texts(pair.old, old_name, sides.old, args)
        new = _read_texts(pair.new, new_name, sides.new, args)
    except UnusableInputError as reason:
        print_error(str(reason))
        yield ComparedFile(pair, old_name, new_name, problem=str(reason))
        return
    for before, after in _pair_blocks(old, new):
        is_page = bool(before or after)
        one = ComparedFile(
            pair,
            old_name if before is not None else None,
            new_name if after is not None else None,
            block=(before if after is None else after) or "",
            old_block=before if is_page and before is not None and after is not None and before != after else "",
        )
        if before is None or after is None:
            yield one
            continue
        texts = old[before], new[after]
        difference = compare_structure(*texts)
        if difference.is_empty and (one.status == "changed" or is_page):
            continue
        for each in texts:
            print_text_problems(each)
        yield replace(one, difference=difference, sent=_compare_sent(*texts, args))


def _read_texts(
    path: str | None, name: str | None, files: Files, args: argparse.Namespace
) -> Mapping[str, ComparedText]:
    if path is None or name is None:
        return {}
    return texts_of(name, path, files[path], args.range)


def _pair_blocks(
    old: Mapping[str, ComparedText], new: Mapping[str, ComparedText]
) -> Iterator[tuple[str | None, str | None]]:
    """Pair the specs of one page with those of the other, by name or, if a name is gone, by contents."""
    removed = {block: _bytes_of(text) for block, text in old.items() if block not in new}
    added = {block: _bytes_of(text) for block, text in new.items() if block not in old}
    if "" in removed or "" in added:  # a file that is one text, which may have become a page
        new_names: dict[str, str] = {}
    else:
        new_names = {after: before for before, after in match_renamed(removed, added)}
    for block in new:
        yield (block if block in old else new_names.get(block)), block
    for block in removed:
        if block not in new_names.values():
            yield block, None


def _bytes_of(text: ComparedText) -> bytes:
    return text.parsed.source.text.encode("utf-8", "surrogatepass")


def _compare_sent(old: ComparedText, new: ComparedText, args: argparse.Namespace) -> SentDifference | None:
    """Compare the messages, if a state exists beside the file."""
    if not is_sent_wanted(args):
        return None
    try:
        return compare_messages(old, new, args)
    except (StoppedError, UnknownSpecError) as reason:
        print_error(str(reason))
        return None


def _status_of(each: ComparedFile, wanted: str | None) -> int:
    """Return the exit status for one pair of files."""
    if each.problem:
        return 2
    if each.difference is None:
        return 1
    is_renamed = each.status == "renamed" and wanted != "sent"
    return max(int(is_renamed), status_of(each.difference, each.sent, wanted))


def _write_report(compared_files: list[ComparedFile], args: argparse.Namespace) -> bool:
    """Write one report of all pairs; return True on success."""
    is_shown = args.output in (None, "-")
    options = CompareOptions(color=is_shown and should_color(args.color, sys.stdout))
    has_color = options.color and args.format == "text"
    path = None if is_shown else Path(args.output)
    return write_figure(FOLDER_REPORTS[args.format](compared_files, options), path, has_color=has_color)


def _write_figures(compared_files: list[ComparedFile], args: argparse.Namespace) -> bool:
    """Write a figure of each pair of files; return True if all were written."""
    is_written = True
    taken: set[str] = set()
    for each in compared_files:
        if each.difference is None or each.difference.is_empty:
            continue
        options = CompareOptions(sent=each.sent, is_side_by_side=args.side_by_side)
        path = Path(args.output) / f"{_free_name(_figure_name(each), taken)}.{args.format}"
        if leads_out(path, Path(args.output)):
            print_error(f"{path}: is a link that leads out of {args.output}; remove it")
            is_written = False
            continue
        is_written &= write_figure(format_difference(each.difference, args.format, options), path)
        print(make_visible(str(path)))
    return is_written


def _figure_name(each: ComparedFile) -> str:
    """Return the path of the figure below the folder of results: `specs/a`, or `docs/page.md-Name` for a page."""
    path = "/".join(part for part in each.pair.path.split("/") if part not in ("", ".", ".."))
    return f"{path}-{each.block}" if each.block else os.path.splitext(path)[0]


def _free_name(name: str, taken: set[str]) -> str:
    """Return a name that no other figure of this run has, ignoring case."""
    candidate, number = name, 1
    while fold_name(candidate) in taken:
        number += 1
        candidate = f"{name}-{number}"
    taken.add(fold_name(candidate))
    return candidate
