"""The specs and states of a call: a text in the call, a file, or the blocks of a Markdown page."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from acdl_mkdocs.evaluation.state.read import StateFile, read_state
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.reports import json_lines, terminal
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.wording import find_closest, format_count
from acdl_mkdocs.frontends.mcp.answers import MAX_PROBLEMS, CallError, Data
from acdl_mkdocs.frontends.mcp.arguments import ToolArguments
from acdl_mkdocs.frontends.mcp.folders import Folders, FoundPath, resolve_links
from acdl_mkdocs.workspace.catalog import Catalog
from acdl_mkdocs.workspace.folder_names import FolderNames
from acdl_mkdocs.workspace.inputs import Input
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.page_kinds import PAGE_KINDS, kind_at, parts_of, specs_in
from acdl_mkdocs.workspace.project import project_of
from acdl_mkdocs.workspace.read_block import BlockText, Finding, find_defined_names, read_block
from acdl_mkdocs.workspace.settings import Settings, load_settings
from acdl_mkdocs.workspace.states import find_states, list_states
from acdl_mkdocs.workspace.used_files import read_uses

PAGES = tuple(PAGE_KINDS)
SPECS = (".acdl",)
_STATES = (".yaml", ".yml", ".json")
_NOWHERE = Path(os.devnull)
"""The folder of a server without folders: no file is below it."""
MODES: dict[str, RangeMode] = {"half-open": "half-open", "inclusive": "inclusive"}


@dataclass(frozen=True, slots=True)
class SpecText(Input):
    """A text of specs: what a client sent, a file, or one block of a page."""

    found: FoundPath | None = None
    """Its file; `None` if the client sent the text."""

    def with_text(self, text: str) -> "SpecText":
        """Return the text with other contents; the files that it uses stay the same."""
        block = BlockText(replace(self.text.source, text=text), self.text.options, uses=self.text.uses)
        return _with_catalog([(block, self.config)], self.found)[0]


def named_texts(args: ToolArguments, folders: Folders, side: str = "") -> tuple[list[SpecText], str | None]:
    """Return the texts of a call, and the name of the one spec if it names one.

    Parameters:
        args: The arguments.
        folders: The folders to read from.
        side: `old` or `new`, if the arguments have these names; else they are `text` and `path`.

    Raises:
        CallError: There is not exactly one of text and path, or the file cannot be read.
    """
    text_name, path_name = (side, f"{side}_path") if side else ("text", "path")
    text, path = args.text_of(text_name), args.text_of(path_name)
    revision = args.text_of(f"{side}_revision") if side else None
    if revision is not None and text is None:
        path = path or args.text_of("old_path" if side == "new" else "new_path")
    if revision is not None and (text is not None or path is None):
        cure = f"name the file with `{path_name}`, and send no `{text_name}`"
        raise CallError(f"`{side}_revision` is that of a file", cure)
    if (text is None) == (path is None):
        wrong = "both" if text is not None else "neither"
        raise CallError(f"{wrong} of `{text_name}` and `{path_name}` given", "send one of them")
    spec = args.text_of("new_spec" if side == "new" else "spec")
    mode = args.text_of("range")
    if text is not None:
        if not text.strip():
            raise CallError(f"`{text_name}` is empty", f"send ACDL text, or name a file with `{path_name}`")
        return [_read_sent_text(text, f"<{text_name}>", folders, mode)], spec
    found, behind = _find_file(path or "", folders)
    old_text = None
    if revision is not None:
        old_text = folders.read_revision(found, revision)
        found = replace(found, name=f"{revision}:{found.name}")
    texts = read_specs(found, folders, mode, old_text)
    if behind is not None and behind.isdecimal() and 0 < int(behind) <= len(texts):
        return [texts[int(behind) - 1]], spec
    return texts, spec or behind


def _find_file(path: str, folders: Folders) -> tuple[FoundPath, str | None]:
    """Return a file, and the part after `#` unless that belongs to the name of the file."""
    name, sign, behind = path.rpartition("#")
    if not sign or not name or folders.find_path(path).path.exists():
        return folders.find_file(path, SPECS + PAGES), None
    return folders.find_file(name, SPECS + PAGES), behind or None


def _read_sent_text(text: str, name: str, folders: Folders, mode: str | None) -> SpecText:
    """Read a text from the call; its files are relative to the first folder of the server."""
    root = folders.roots[0].resolve() if folders.roots else _NOWHERE
    options = BlockOptions(range=MODES[mode or "half-open"])
    block = _block_of_file(Source(make_printable(text), name), FoundPath(root / "text.acdl", root, name), options)
    return _with_catalog([(block, Config(range=options.range, snippet=True))], None)[0]


def read_specs(found: FoundPath, folders: Folders, mode: str | None = None, text: str | None = None) -> list[SpecText]:
    """Read the texts of a file: itself, or each acdl block of a page.

    Parameters:
        found: The file.
        folders: The folders to read from.
        mode: How ranges are read, instead of what the settings say.
        text: Its contents, if not the current ones; other files that it uses are read as they are now.

    Raises:
        CallError: It cannot be read, or is a folder.
    """
    if found.path.is_dir():
        raise CallError(f"`{found.name}` is a folder", "name a file in it; only `check` takes folders")
    text = folders.read_file(found) if text is None else text
    config = config_of(found)
    options = BlockOptions(range=MODES[mode] if mode else config.range)
    if found.path.suffix.lower() not in PAGES:
        block = _block_of_file(Source(text, found.name), found, options)
        return _with_catalog([(block, config)], found)
    project = _project_of(found)
    blocks = [
        (read_block(fence, part.name, options, project, found.path.parent), replace(config, snippet=True))
        for part in parts_of(text, found.name, kind_at(found.path))
        for fence in specs_in(part)
    ]
    return _with_catalog(blocks, found)


def _project_of(found: FoundPath) -> Path:
    """Return the folder that `src` of a page is relative to, as in `acdl check` in the server's folder."""
    folder = project_of(found.path, found.root)
    return folder if folder.is_relative_to(found.root) else found.root


def _block_of_file(source: Source, found: FoundPath, options: BlockOptions) -> BlockText:
    uses, problems = read_uses(source, found.path.parent, found.root)
    return BlockText(source, options, tuple((each, source) for each in problems), uses=uses)


def _with_catalog(blocks: Iterable[tuple[BlockText, Config]], found: FoundPath | None) -> list[SpecText]:
    catalog = Catalog()
    texts = [SpecText(block, config, Path(), catalog, found=found) for block, config in blocks]
    for each in texts:
        catalog.add_text(each.text)
    return texts


def config_of(found: FoundPath) -> Config:
    """Return how the texts of a file are read and checked.

    Raises:
        CallError: The settings have an unknown entry.
    """
    try:
        return _read_settings(found).config
    except SettingsError as reason:
        raise CallError(str(reason), "fix the settings") from None


def is_left_out(found: FoundPath) -> bool:
    """Return whether the settings of the project exclude a file from searches of folders.

    Raises:
        CallError: The settings have an unknown entry.
    """
    return _read_settings(found).is_excluded(found.path)


def _read_settings(found: FoundPath) -> Settings:
    """Return the settings of the project if they are in a folder of the server; their problems are not reported."""
    try:
        return load_settings(found.path.parent, top=found.root)
    except SettingsError as reason:
        raise CallError(str(reason), "fix the settings") from None


def one_text(texts: Sequence[SpecText], name: str | None, called: str) -> SpecText:
    """Return the text that has the spec.

    Raises:
        CallError: There is none, or several and no name.
    """
    if not texts:
        raise CallError(f"`{called}` has no acdl blocks", "name a file with a fenced block of the language `acdl`")
    if len(texts) == 1 and name is None:
        return texts[0]
    every: list[str] = []
    for each in texts:
        names = find_defined_names(each.text.source.text)
        if name in names:
            return each
        every += names
    near = find_closest(name or "", every)
    listed = ", ".join(f"`{each}`" for each in every) or "none with a title"
    if called.endswith(PAGES):
        listed += f"; a block can be named by its number, from `{called}#1` to `{called}#{len(texts)}`"
    cure = f"did you mean `{near}`?" if near else f"there are {listed}"
    what = f"has no spec `{name}`" if name else f"has {len(texts)} blocks, and `spec` does not say which"
    raise CallError(f"`{called}` {what}", cure)


def name_of_text(args: ToolArguments, side: str = "") -> str:
    """Return the name of a call's text for error messages."""
    return args.text_of(f"{side}_path" if side else "path") or f"<{side or 'text'}>"


def range_of(args: ToolArguments) -> RangeMode | None:
    """Return how ranges are read: as the client requests, else as the spec or the project specifies."""
    return MODES[args.choice_of("range", "half-open")] if args.text_of("range") else None


# -------------------------------------------------------------------------------------------------------------- states


def state_of(
    args: ToolArguments, folders: Folders, text: SpecText, spec: str | None, side: str = ""
) -> StateFile | None:
    """Return the state of a call: in the call, named, or beside the spec; `None` if there is none.

    Raises:
        CallError: Both are given, or the file cannot be read.
    """
    text_name, path_name = f"{side}state", f"{side}state_path"
    sent, path = args.text_of(text_name), args.text_of(path_name)
    if sent is not None and path is not None:
        raise CallError(f"both of `{text_name}` and `{path_name}` given", "send one of them")
    if sent is not None:
        return read_state(sent, f"<{text_name}>")
    if path is not None:
        found = folders.find_file(path, _STATES)
        return read_state(folders.read_file(found), found.name, found.path.parent)
    return None if text.found is None else _find_state(text, text.found, spec, folders)


def _find_state(text: SpecText, found: FoundPath, spec: str | None, folders: Folders) -> StateFile | None:
    states = find_states(found.path, find_defined_names(text.text.source.text), FolderNames())
    state_path = (states.find_state_named(spec) if spec is not None else None) or states.first
    beside = _find_beside(found, state_path) if state_path is not None else None
    return None if beside is None else read_state(folders.read_file(beside), beside.name, beside.path.parent)


def _find_beside(found: FoundPath, state_path: Path) -> FoundPath | None:
    """Return a state beside a file; `None` if it is a link that leads out of the folder of the server."""
    path = resolve_links(state_path)
    if path is None or not path.is_relative_to(found.root):
        return None
    return FoundPath(path, found.root, (found.path.parent / state_path.name).relative_to(found.root).as_posix())


def read_spec_with_states(path: str, folders: Folders) -> tuple[SpecText, tuple[StateFile, ...]]:
    """Read a file of specs with all states beside it.

    Raises:
        CallError: It cannot be read.
    """
    found = folders.find_file(path, SPECS)
    (text,) = read_specs(found, folders)
    paths = list_states(found.path, find_defined_names(text.text.source.text), FolderNames())
    beside = [_find_beside(found, each) for each in paths]
    files = (read_state(folders.read_file(each), each.name, each.path.parent) for each in beside if each is not None)
    return text, tuple(files)


# ------------------------------------------------------------------------------------------------------------ problems


def problem_data(findings: Sequence[Finding]) -> Data:
    """Return problems for the data of an answer: as many as fit, and how many are left out."""
    objects = [json_lines.to_object(each, source) for each, source in findings[:MAX_PROBLEMS]]
    return {"problems": objects, "problems_left_out": max(len(findings) - MAX_PROBLEMS, 0)}


def problem_text(findings: Sequence[Finding]) -> str:
    """Format problems as on a terminal: as many as are in the data."""
    reports = [terminal.report([each], source).rstrip("\n") for each, source in findings[:MAX_PROBLEMS]]
    n_more = len(findings) - MAX_PROBLEMS
    return "\n\n".join([*reports, *([f"{format_count(n_more, 'more problem')} not shown"] if n_more > 0 else [])])
