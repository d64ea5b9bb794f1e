"""The diff driver for specs.

Git calls it with `path old-file old-hex old-mode new-file new-hex new-mode [new-path header]`, `git difftool` with
`old-file new-file path`. Never fails, whatever the files contain: those that cannot be understood
are compared line by line.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from acdl_mkdocs.foundation.safe_text import make_visible
from acdl_mkdocs.frontends.cli.line_diff import print_diff
from acdl_mkdocs.frontends.cli.messages import print_error, should_color

_NOTHING = os.devnull
_N_WORDS = (7, 9)


def show_pair(arguments: Sequence[str], color: str) -> int:
    """Print the changes of one file; always return 0, since git stops when this fails."""
    if len(arguments) not in _N_WORDS:
        for path in arguments[:1]:
            print(f"* Unmerged path {make_visible(path)}")
        if not arguments:
            print_error("git calls this with seven words or more; see `acdl git setup`")
        return 0
    path, old, _, old_mode, new, _, new_mode = arguments[:7]
    new_path = arguments[7] if len(arguments) == max(_N_WORDS) else path
    is_colored = should_color(color, sys.stdout) or (color == "auto" and _has_pager())
    for line in _format_head(path, new_path, old_mode, new_mode, arguments[8:]):
        print(f"\x1b[1m{line}\x1b[m" if is_colored else line)
    _show_files((old, new), (path, new_path), is_colored)
    return 0


def show_tool(arguments: Sequence[str], color: str) -> int:
    """Print the changes of one file, or of folders with `git difftool --dir-diff`; always return 0.

    Parameters:
        arguments: Both temporary files, and the name of the new one in the repository.
        color: `auto`, `always` or `never`.
    """
    if len(arguments) != len(("LOCAL", "REMOTE", "MERGED")):
        print_error("`git difftool` calls this with three words; see `acdl git setup`")
        return 0
    old, new, path = arguments
    if os.path.isdir(old) and os.path.isdir(new):
        from acdl_mkdocs.frontends.cli.main import main

        main(["diff", "--color", color, old, new])
        return 0
    is_colored = should_color(color, sys.stdout)
    head = f"diff --git a/{make_visible(path)} b/{make_visible(path)}"
    print(f"\x1b[1m{head}\x1b[m" if is_colored else head)
    _show_files((old, new), (path, path), is_colored)
    return 0


def _show_files(files: tuple[str, str], paths: tuple[str, str], is_colored: bool) -> None:
    """Print the changes from one file to the other, as specs or by lines."""
    before, after = map(_read_side, files)
    if before is None or after is None:
        print("Binary files differ")
        return
    is_spec = paths[1].lower().endswith(".acdl")
    if not is_spec or not _show_difference(before, after, (f"a/{paths[0]}", f"b/{paths[1]}"), is_colored):
        print_diff(make_visible(paths[1]), before, after, color=is_colored, is_patch=False)


def _has_pager() -> bool:
    """Return whether git shows the output in its pager, which knows colours."""
    return os.environ.get("GIT_PAGER_IN_USE") == "true" and not os.environ.get("NO_COLOR")


def _format_head(path: str, new_path: str, old_mode: str, new_mode: str, extra_texts: Sequence[str]) -> list[str]:
    """Return git's header lines."""
    lines = [f"diff --git a/{make_visible(path)} b/{make_visible(new_path)}"]
    if "." in (old_mode, new_mode):
        lines.append(f"new file mode {new_mode}" if old_mode == "." else f"deleted file mode {old_mode}")
    elif old_mode != new_mode:
        lines += [f"old mode {old_mode}", f"new mode {new_mode}"]
    return lines + [line for text in extra_texts for line in map(make_visible, text.splitlines()) if line]


def _read_side(name: str) -> str | None:
    """Return the contents of a file; empty for a side that does not exist, `None` if it is not text."""
    if name in (_NOTHING, "/dev/null", "nul"):
        return ""
    try:
        return Path(name).read_bytes().decode("utf-8-sig")
    except (OSError, ValueError):
        return None


def _show_difference(before: str, after: str, names: tuple[str, str], is_colored: bool) -> bool:
    """Print the changes between two specs; return False if that is not possible."""
    from acdl_mkdocs.compare.formats.options import CompareOptions
    from acdl_mkdocs.compare.formats.text import write
    from acdl_mkdocs.compare.structure.diff import diff
    from acdl_mkdocs.foundation.source import Source
    from acdl_mkdocs.language.syntax.parse import parse

    try:
        old, new = (parse(Source(text, name)) for text, name in zip((before, after), names, strict=True))
        if old.diagnostics or new.diagnostics:
            return False
        print(write(diff(old, new), CompareOptions(color=is_colored)), end="")
    except Exception as fault:  # git must continue after any error
        print_error(f"compared line by line, because of {type(fault).__name__}: {fault}")
        return False
    return True
