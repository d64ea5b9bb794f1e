"""acdl new: create a documentation site, a spec, or the skill that teaches ACDL to a coding agent.

Asks nothing, and never overwrites a file.
"""

import argparse
import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from acdl_mkdocs.foundation.real_path import check_link
from acdl_mkdocs.foundation.wording import format_count
from acdl_mkdocs.frontends.cli.messages import print_error
from acdl_mkdocs.frontends.cli.writing import make_files, print_sentence

_SKILLS_FOLDER = ".agents/skills"
_ONLY_HERE = (
    "requirements.txt and .pre-commit-config.yaml install this package from a folder of this machine, where it came "
    "from; before others or a workflow install it, name a place there that they reach too, as "
    "`acdl-mkdocs[mkdocs] @ git+https://…`"
)
_MISSING = {
    "site": "name the folder of the site: `acdl new site my-site`",
    "spec": "name the file: `acdl new spec specs/my-agent.acdl`",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("kind", choices=("site", "spec", "skill"), help="what to create")
    parser.add_argument(
        "path",
        nargs="?",
        metavar="PATH",
        help=f"folder of the site, .acdl file, or folder of skills ({_SKILLS_FOLDER})",
    )


def run(args: argparse.Namespace) -> int:
    """Make the files and print the next steps; return 2 if such files exist already."""
    path = args.path or (_SKILLS_FOLDER if args.kind == "skill" else "")
    if not path.strip():
        print_error(_MISSING[args.kind])
        return 2
    make = {"site": _make_site, "spec": _make_spec, "skill": _make_skill}[args.kind]
    return 0 if make(Path(path)) else 2


def _make_site(folder: Path) -> bool:
    from acdl_mkdocs.frontends.cli.templates import is_on_this_machine, project_files

    files = {folder / name: text for name, text in project_files(folder.resolve().name).items()}
    enter = "" if folder.resolve() == Path.cwd() else f"cd {shlex.quote(str(folder))} && "
    message = f"made {format_count(len(files), 'file')} in {folder}; next:"
    is_made = _write_new_files(folder, files, message, f"  {enter}pip install -r requirements.txt", "  mkdocs serve")
    if is_made and is_on_this_machine():
        print_error(_ONLY_HERE)
    return is_made


def _make_spec(path: Path) -> bool:
    from acdl_mkdocs.frontends.cli.templates import spec_text

    if path.suffix != ".acdl":
        better = path.with_suffix(".acdl") if path.name.strip(".") else Path("my-agent.acdl")
        print_error(f"{path}: specs are .acdl files; write `acdl new spec {shlex.quote(str(better))}`")
        return False
    name, figure = (shlex.quote(str(each)) for each in (path, path.with_suffix(".svg")))
    next_lines = f"  acdl check {name}", f"  acdl render {name} -o {figure}"
    return _write_new_files(path, {path: spec_text(path.stem)}, f"made {path}; next:", *next_lines)


def _make_skill(folder: Path) -> bool:
    from acdl_mkdocs.frontends.cli.templates import skill_text

    path = folder / "acdl" / "SKILL.md"
    named = Path() if folder == Path(_SKILLS_FOLDER) else folder  # the default folder may be someone else's link
    return _write_new_files(
        named, {path: skill_text()}, f"made {path}; agents that read the skills of {folder} know ACDL now"
    )


def _write_new_files(named: Path, files: Mapping[Path, str], *lines: str) -> bool:
    """Write new files and print their names; if some exist already, write none and name those.

    Parameters:
        named: The path from the command line: the only file, or the folder, which links must not leave.
        files: The files with their texts.
        lines: The lines to print then.

    Raises:
        OSError: One of them cannot be written, or a link leads out of the folder.
    """
    existing = [str(path) for path in files if os.path.lexists(path)]
    if existing:
        verb, which = ("exists", "it") if len(existing) == 1 else ("exist", "them")
        print_error(f"nothing was made: {', '.join(existing)} {verb} already; choose another name, or remove {which}")
        return False
    for path in files:
        if path != named:
            check_link(path, named)
    make_files(files)
    for line in lines:
        print_sentence(line)
    return True
