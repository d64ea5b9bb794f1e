"""Read a fenced block: its text, its options, and the problems of both.

Used by pages and by the command line alike. Draws nothing.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error, warning
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.safe_text import make_printable
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.language.syntax.letters import LETTER, normalize_name
from acdl_mkdocs.workspace.files import include_file
from acdl_mkdocs.workspace.header import find_idle_options
from acdl_mkdocs.workspace.myst import move_options
from acdl_mkdocs.workspace.options import BlockOptions, read_block_header
from acdl_mkdocs.workspace.remembered import cache_across_builds
from acdl_mkdocs.workspace.used_files import UsedFiles, Uses, may_use_files, read_uses

if TYPE_CHECKING:
    from acdl_mkdocs.workspace.fences import Fence
    from acdl_mkdocs.workspace.recorded_runs import RunsText
    from acdl_mkdocs.workspace.state_text import StateText

Finding = tuple[Diagnostic, Source]
"""A diagnostic and the text of its spans."""

_DEFINITION = (
    r"^[ \t]*+(?:(?:StrFrag|RolesFrag|RoleFrag|Fragment|Prompt)[ \t]++)?"
    rf"(?P<name>[^\W\d]{LETTER}*+)[ \t]*+(?P<indices>\[[^\]\n]*+\])?[ \t]*+:?[ \t]*+\{{"
)
_N_REMEMBERED = 4096
"""Size of the cache of definition names, in texts."""
_NEEDS = {"at": "state", "mutants": "runs", "excerpts": "runs"}
"""Options that depend on another one."""
WITHOUT_INDICES = frozenset(("s", "u", "a", "t", "n", "system", "user", "assistant", "tool", "none", "else", "default"))
"""Words that are followed by braces without defining a name."""


@dataclass(frozen=True, slots=True)
class BlockText:
    """A block that has been read, or a text that is drawn like one."""

    source: Source
    """The text to draw: that of the block, or of the file that it names; empty if there is none."""
    options: BlockOptions = field(default_factory=BlockOptions)
    findings: tuple[Finding, ...] = ()
    """The problems of the header, the file or the fence itself."""
    file: Path | None = None
    """The file that `src` names, whether it exists or not."""
    uses: Uses = field(default_factory=Uses)
    """The files that `// acdl: use` refers to."""
    is_cut: bool = False
    """Whether the block is not closed, so that problems of its text are meaningless."""
    header: Source | None = None
    """The opening line; `None` if the text is not a block of a page."""
    places: Mapping[str, Span] = field(default_factory=dict)
    """The span of the value of each option in the header."""
    state: "StateText | None" = None
    """The state that it is shown with."""
    runs: "RunsText | None" = None
    """The recorded runs that it is checked against."""

    @property
    def is_alone(self) -> bool:
        """Whether it names no files."""
        options = self.options
        return not (options.src or options.state or options.runs or may_use_files(self.source.text))

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that the text depends on, whether they exist or not."""
        other_files = (*(self.state.files if self.state else ()), *(self.runs.watched if self.runs else ()))
        return (*([self.file] if self.file else []), *self.uses.list_files(), *other_files)

    def find_option(self, option: str) -> tuple[Span, Source]:
        """Return the span of an option: its value in the header, else the header, else the start of the text."""
        if self.header is None:
            return Span(0, 0), self.source
        return self.places.get(option, Span(0, len(self.header.text))), self.header

    def rename_files(self, name_of: Callable[[str], str]) -> "BlockText":
        """Return the same block with other names for the files of its project.

        Parameters:
            name_of: Converts a name relative to the project's folder.
        """
        text = self
        if text.state and text.state.source:
            stated = replace(text.state.source, name=name_of(text.state.source.name))
            text = replace(text, state=replace(text.state, source=stated))
        if not text.options.src or not text.source.text:
            return text
        source = replace(text.source, name=name_of(text.source.name))
        findings = tuple((each, source if of is text.source else of) for each, of in text.findings)
        return replace(text, source=source, findings=findings)

    def move_to(self, fence: "Fence", name: str) -> "BlockText":
        """Return the same block at another position; a file that it shows stays in place.

        Parameters:
            fence: The block at the new position.
            name: The name of its file in messages.
        """
        if self.header is None:
            return self
        header = replace(self.header, name=name, first_line=fence.first + 1, first_column=len(fence.prefix) + 1)
        source = self.source
        if source.name == self.header.name:
            body = fence.first + 2
            source = replace(source, name=name, first_line=body, first_column=fence.column, prefix=fence.inside)
        places = {id(self.header): header, id(self.source): source}
        findings = tuple((each, places.get(id(of), of)) for each, of in self.findings)
        return replace(self, source=source, header=header, findings=findings)


def read_block(
    fence: "Fence",
    name: str,
    defaults: BlockOptions,
    root: Path,
    folder: Path | None = None,
    used_files: UsedFiles | None = None,
) -> BlockText:
    """Read header and text of a fence.

    Parameters:
        fence: The fence in its file.
        name: The name of that file in messages.
        defaults: Options that the header need not repeat.
        root: The project's folder, for `src`.
        folder: The folder of the file, for `// acdl: use`; by default the project's.
        used_files: The files of other blocks, which are not read again.
    """
    text = read_lone_block(fence, name, defaults)
    return text if text.is_alone else _read_files(text, root, folder, used_files)


@cache_across_builds(_N_REMEMBERED)
def read_lone_block(fence: "Fence", name: str, defaults: BlockOptions) -> BlockText:
    """Read a block without the files that it names; cached. The parameters are those of `read_block`."""
    fence = move_options(fence)
    header = Source(make_printable(fence.opening), name, fence.first + 1, len(fence.prefix) + 1)
    read = read_block_header(header, defaults)
    source = Source(make_printable(fence.text), name, fence.first + 2, fence.column, fence.inside)
    diagnostics = [*read.diagnostics]
    if not read.options.src and not source.text.strip():
        diagnostics.append(_empty_block(header))
    diagnostics += find_idle_options(read.places, _NEEDS)
    if not fence.is_closed:
        diagnostics.append(_unclosed(header, fence))
    findings = tuple((each, header) for each in diagnostics)
    return BlockText(source, read.options, findings, None, Uses(), not fence.is_closed, header, dict(read.places))


def _read_files(text: BlockText, root: Path, folder: Path | None, used_files: UsedFiles | None) -> BlockText:
    """Read the files that a block names."""
    header, source, options, places = text.header or text.source, text.source, text.options, dict(text.places)
    diagnostics: list[Diagnostic] = []
    file: Path | None = None
    if options.src:
        if source.text.strip():
            diagnostics.append(_text_ignored(header))
        included = include_file(options.src, header, root)
        diagnostics += included.diagnostics
        file = included.path
        folder = file.parent if file else folder
        source = included.source or replace(source, text="")
        if included.source and not source.text.strip():
            diagnostics.append(_empty_file(source.name, places.get("src", Span(0, len(header.text)))))
        if included.spec and not options.spec:
            options = replace(options, spec=included.spec)
            places |= {"spec": places["src"]} if "src" in places else {}
    state, runs = None, None
    if options.state:
        from acdl_mkdocs.workspace.state_text import read_state_text  # few blocks have a state

        state, stated = read_state_text(options.state, header, root)
        diagnostics += stated
    if options.runs:
        from acdl_mkdocs.workspace.recorded_runs import read_runs_text  # and few have runs

        runs, missing = read_runs_text(options.runs, header, places.get("runs", Span(0, len(header.text))), root)
        diagnostics += missing
    uses, problems = read_uses(source, folder or root, root, used_files)
    findings = (*text.findings, *((each, header) for each in diagnostics), *((each, source) for each in problems))
    return replace(
        text,
        source=source,
        options=options,
        findings=findings,
        file=file,
        uses=uses,
        places=places,
        state=state,
        runs=runs,
    )


def figure_name(options: BlockOptions, text: str) -> str:
    """Return the name of a figure in addresses and file names: its id, its spec, or the first definition.

    Only letters, digits, `_`, `.` and `-`. The text is searched without a parser, so that the name can be a cache key.
    """
    name = options.id or options.spec or next(iter(find_defined_names(text)), "")
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "acdl"


@cache_across_builds(_N_REMEMBERED)
def find_defined_names(text: str) -> tuple[str, ...]:
    """Return the names of the specs and fragments that a text defines, in order and each once; without a parser."""
    return tuple(dict.fromkeys(_definitions(text)))


def _definitions(text: str) -> Iterator[str]:
    for match in re.finditer(_DEFINITION, text, re.MULTILINE):
        if match["indices"] or match["name"].lower() not in WITHOUT_INDICES:
            yield normalize_name(match["name"])


def _empty_block(header: Source) -> Diagnostic:
    label = Label(Span(0, len(header.text)), "nothing follows this line")
    return error("empty-block", "the block is empty", label, help="write a spec, or name a file with `src`")


def _empty_file(name: str, span: Span) -> Diagnostic:
    label = Label(span, "named here")
    return error("empty-block", f"the file `{name}` is empty", label, help="write a spec into it, or name another file")


def _text_ignored(header: Source) -> Diagnostic:
    label = Label(Span(0, len(header.text)), "the file is drawn, the lines below are not")
    cure = "remove either `src` or the lines below it"
    return warning("src-and-text", "the block names a file and also has text", label, help=cure)


def _unclosed(header: Source, fence: "Fence") -> Diagnostic:
    label = Label(Span(0, len(header.text)), "no end was found for this block")
    return error("unclosed-fence", "the block is not closed", label, help=fence.how_to_close)
