"""Plan what `acdl embed` writes for a page, and write it.

A figure is sealed: it has a digest of itself and the page that it belongs to. Only a file whose seal is right, and
whose page is the given one or no longer exists, is ever replaced or removed.
"""

import argparse
import codecs
import os
import posixpath
import re
import sys
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, fields, replace
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from struct import pack
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from zlib import crc32

from acdl_mkdocs.foundation import system
from acdl_mkdocs.foundation.errors import SettingsError, TooLargeError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.real_path import fold_name, real_path
from acdl_mkdocs.foundation.wording import find_closest, format_count
from acdl_mkdocs.frontends.cli.drawing import parse_scale
from acdl_mkdocs.frontends.cli.messages import print_error, should_color
from acdl_mkdocs.frontends.cli.writing import format_for_stdout, is_marked, replace_file
from acdl_mkdocs.frontends.docs.pages.embedded import (
    DIGITS,
    WORD,
    EmbeddedPage,
    EmbeddedPicture,
    address_of,
    dialect_of,
    part_lines,
    read_page,
)
from acdl_mkdocs.workspace.examine import Examined
from acdl_mkdocs.workspace.inputs import Input, UnusableInputError, gather_texts, read_named
from acdl_mkdocs.workspace.project import find_project, project_of
from acdl_mkdocs.workspace.read_block import Finding, figure_name
from acdl_mkdocs.workspace.search import NamedFile
from acdl_mkdocs.workspace.settings import (
    EMBEDDED_FORMATS,
    EMBEDDED_SCHEMES,
    EmbeddedFormat,
    EmbeddedScheme,
    Settings,
    load_settings,
)

if TYPE_CHECKING:
    from acdl_mkdocs.drawing.figure.boxes import Box
    from acdl_mkdocs.drawing.formats.options import OutputOptions, ThemeName

_SVG_SEAL = re.compile(rb"<!-- acdl-embed ([0-9a-f]{12}) (\S+) -->\n\Z")
_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_END = pack(">I", 0) + b"IEND" + pack(">I", crc32(b"IEND"))
_PNG_SEAL = b"tEXt" + WORD.encode() + b"\0"
_NO_LINKS = "none"
_LINK = re.compile(r"(?:https?://|(?![a-z][a-z0-9+.-]*:))[^\s<>()\\\"]*", re.IGNORECASE)
"""The allowed beginnings of a link: no scheme that could run something, and no character that ends the link."""
_MOST_SPECS = 3
"""Number of specs of a block that are described in words; more are counted."""


@dataclass(frozen=True, slots=True)
class EmbedOptions:
    """Options for writing and showing the figures of a page."""

    assets: str = ""
    """The folder of the figures, from that of the page."""
    format: EmbeddedFormat = "svg"
    scheme: EmbeddedScheme = "both"
    link: str = ""
    """The address of the project's files; empty for relative links, `none` for no links."""
    scale: float | None = None

    def __post_init__(self) -> None:
        """Refuse options that cannot be drawn.

        Raises:
            ValueError: The message names the alternatives.
        """
        if self.format == "png" and self.scheme == "auto":
            raise ValueError(
                "a png cannot follow the page: choose the scheme `both`, `light` or `dark`, or the format svg"
            )
        if not _LINK.fullmatch(self.link):
            raise ValueError(
                f"the link cannot be {self.link!r}: it can be an address of the web, a path, or `{_NO_LINKS}`"
            )


@dataclass(frozen=True, slots=True)
class PagePlan:
    """The planned changes of a page and its figures."""

    path: Path
    name: str
    """The display name of the page."""
    before: str = ""
    after: str = ""
    files: dict[Path, bytes] = field(default_factory=dict)
    """The figures."""
    unused: tuple[Path, ...] = ()
    """Figures that the page showed before."""
    stale: tuple[str, ...] = ()
    """What is out of date in the page, a line each."""
    findings: tuple[Finding, ...] = ()
    """The errors of blocks that are left unchanged."""
    complaints: tuple[str, ...] = ()
    """Why the page, or a block, is left unchanged."""
    remarks: tuple[str, ...] = ()
    is_refused: bool = False
    """Whether none of it is written."""


class Embedding:
    """The pages of a command, and the page of each figure."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self.settings_of = cache(load_settings)
        self._owners: dict[str, str] = {}

    def gather_pages(self, files: Sequence[NamedFile]) -> tuple[list[tuple[NamedFile, list[Input]]], list[str]]:
        """Return the pages among files with their blocks, resolved across all files; and the unreadable files."""
        read: list[NamedFile] = []
        problems: list[str] = []
        seen: set[Path] = set()
        for named in files:
            try:
                read.append(replace(named, text=read_named(named)[0]) if named.is_page else named)
                if named.is_argument and not named.is_page and named.path and named.path.suffix.lower() != ".acdl":
                    raise UnusableInputError(
                        f"{named.path}: is not a Markdown page; `acdl embed` knows .md, .mdx and .qmd"
                    )
            except UnusableInputError as reason:
                read, problems = [each for each in read if each is not named], [*problems, str(reason)]
        gathered = gather_texts(read, self.settings_of, self._args.range, is_snippet=False)
        pages: list[tuple[NamedFile, list[Input]]] = []
        for named, inputs in gathered.files:
            real = named.path.resolve() if named.path else Path()
            if named.is_page and real not in seen:
                seen.add(real)
                pages.append((named, [replace(each, is_reported_elsewhere=False) for each in inputs]))
        return pages, [*problems, *gathered.problems]

    def plan_page(self, named: NamedFile, inputs: Sequence[Input], findings: Sequence[tuple[Finding, ...]]) -> PagePlan:
        """Plan the changes of a page.

        Parameters:
            named: The page.
            inputs: Its blocks.
            findings: The problems of each.
        """
        text, page_path = named.text or "", named.path or Path()
        page = read_page(text)
        if not page.blocks and not page.orphans and not page.faults:
            return PagePlan(page_path, named.name, text, text)
        path, root = _real_page(page_path), project_of(page_path)
        refusals = [f"{named.name}:{fault.line}: {fault.message}" for fault in page.faults]
        if path is None:
            refusals.append(f"{named.name}: is a link that leads out of the project; embed into the file itself")
        try:
            options = self._options_for(named)
        except SettingsError as reason:
            refusals.append(str(reason))
        if path is None or refusals:
            return PagePlan(page_path, named.name, text, text, complaints=tuple(refusals), is_refused=True)
        return _PagePlanner(path, named.name, root, page, options, self._args).plan_page(inputs, findings, text)

    def _options_for(self, named: NamedFile) -> EmbedOptions:
        """Return the options of the command line, else the settings of the folder.

        Raises:
            SettingsError: One of them does not exist, or they do not fit each other.
        """
        names = [each.name for each in fields(EmbedOptions)]
        overrides = {name: value for name in names if (value := getattr(self._args, name)) is not None}
        try:
            return replace(_from_settings(self.settings_of(named.folder), overrides), **overrides)
        except ValueError as reason:
            raise SettingsError(f"{named.name}: {reason}") from None

    def write_plan(self, planned: PagePlan) -> Counter[str]:
        """Write the planned changes, or list what is outdated; return counts by kind."""
        _print_problems(planned, self._args)
        counts = Counter[str](failed=int(bool(planned.findings or planned.complaints)))
        if planned.is_refused:
            return counts
        changed = [path for path, data in planned.files.items() if not _is_same(path, data)]
        refusals = list(self._list_refusals(planned))
        if refusals:
            for sentence in refusals:
                print_error(sentence)
            return Counter(failed=1)
        is_changed = planned.before != planned.after
        counts += Counter(figures=len(changed), pages=int(is_changed), same=int(not (changed or is_changed)))
        if self._args.check:
            listed = [
                f"{_display_path(path)}: {'is out of date' if path.exists() else 'is missing'}" for path in changed
            ]
            print("".join(f"{format_for_stdout(line)}\n" for line in (*planned.stale, *listed)), end="")
            return counts
        is_written = all(replace_file(path, planned.files[path], _display_path(path)) for path in changed)
        if is_written and is_changed:  # a page never shows a figure that is not there
            mark = codecs.BOM_UTF8 if is_marked(planned.path) else b""
            is_written = replace_file(planned.path, mark + planned.after.encode(), planned.name)
        if not is_written:
            return Counter(failed=1)
        counts["removed"] = sum(_remove_figure(path, planned.path) for path in self._find_unused_figures(planned))
        return counts

    def _list_refusals(self, planned: PagePlan) -> Iterator[str]:
        """Yield reasons why figures must not be written."""
        for path in planned.files:
            other = self._owners.setdefault(fold_name(str(path)), planned.name)
            if other != planned.name:
                yield (
                    f"{_display_path(path)}: would be a figure of {other} and of {planned.name}; "
                    "give a block another `id`"
                )
            elif os.path.lexists(path) and not _belongs_to(path, planned.path):
                yield (
                    f"{_display_path(path)}: was not written by `acdl embed` for {planned.name}, or was changed since; "
                    "rename or delete it, or give the block another `id`"
                )

    def _find_unused_figures(self, planned: PagePlan) -> Iterator[Path]:
        """Yield existing figures of the page that no page shows any more."""
        for path in planned.unused:
            is_ours = os.path.lexists(path) and fold_name(str(path)) not in self._owners
            if is_ours and _belongs_to(path, planned.path):
                yield path
            elif is_ours and _owner_of(path) is None:
                print_error(
                    f"{_display_path(path)}: is no longer shown by {planned.name}; it was changed by hand and stays"
                )


class _PagePlanner:
    """The planner of one page."""

    def __init__(
        self, path: Path, name: str, root: Path, page: EmbeddedPage, options: EmbedOptions, args: argparse.Namespace
    ) -> None:
        self._path, self._name, self._root, self._page, self._options = path, name, root, page, options
        self._is_removing = args.remove
        self._files: dict[Path, bytes] = {}
        self._used_names: set[str] = set()
        self._complaints: list[str] = []
        self._remarks: list[str] = []

    def plan_page(self, inputs: Sequence[Input], findings: Sequence[tuple[Finding, ...]], text: str) -> PagePlan:
        """Plan the whole page."""
        refusal = "" if self._is_removing else self._explain_outside()
        if len(inputs) != len(self._page.blocks) or refusal:
            complaint = refusal or f"{self._name}: was changed meanwhile; run the command again"
            return PagePlan(self._path, self._name, text, text, complaints=(complaint,), is_refused=True)
        errors = [tuple(each for each in problems if each[0].severity == "error") for problems in findings]
        is_kept = [bool(problems) and not self._is_removing for problems in errors]
        kept_numbers = {number for number, keeps in enumerate(is_kept) if keeps}
        self._used_names |= {fold_name(file) for number in kept_numbers for file in self._files_of(number)}
        contents: dict[int, Sequence[str]] = {}
        for number, spec_input in enumerate(inputs):
            lines = self._lines_below(spec_input) if number not in kept_numbers else None
            if lines is not None:
                contents[number] = lines
        before = {file for part in (*self._page.parts.values(), *self._page.orphans) for file in part.files}
        still = {file for number in range(len(inputs)) if number not in contents for file in self._files_of(number)}
        unused = {self._locate_figure(file) for file in before - still} - self._files.keys()
        return PagePlan(
            self._path,
            self._name,
            text,
            self._page.replace_parts(contents),
            self._files,
            tuple(sorted(path for path in unused if path)),
            tuple(self._list_stale(contents)),
            tuple(each for problems, keeps in zip(errors, is_kept, strict=True) if keeps for each in problems),
            tuple(self._complaints),
            tuple(self._remarks),
        )

    def _explain_outside(self) -> str:
        """Explain why figures cannot be written to the wanted folder."""
        assets = self._options.assets
        with suppress(OSError, ValueError):
            if real_path(self._path.parent / assets).is_relative_to(self._root.resolve()):
                return ""
        return f"{self._name}: the folder `{assets}` lies outside the project; name one inside it with `--assets`"

    def _files_of(self, number: int) -> tuple[str, ...]:
        part = self._page.parts.get(number)
        return part.files if part else ()

    def _locate_figure(self, file: str) -> Path | None:
        """Return the path of a figure that a page names; none outside of the project."""
        with suppress(OSError, ValueError):
            path = Path(os.path.normpath(self._path.parent / file))
            if real_path(path.parent).is_relative_to(self._root.resolve()):
                return path
        return None

    def _list_stale(self, contents: dict[int, Sequence[str]]) -> Iterator[str]:
        """Yield what is out of date in the page."""
        for number, lines in contents.items():
            fence = self._page.blocks[number]
            if not self._page.is_current(number, lines):
                part = self._page.parts.get(number)
                what = "is out of date" if part and lines else "is not wanted any more" if part else "is missing"
                yield f"{self._name}:{fence.first + 1}: the picture of this block {what}"
        for part in self._page.orphans:
            yield f"{self._name}:{part.first + 1}: the block of this picture is gone"

    def _lines_below(self, spec_input: Input) -> Sequence[str] | None:
        """Return the lines below a block; none if they have to stay unchanged."""
        if self._is_removing or spec_input.text.options.show == "source":
            return ()
        try:
            picture, files = self._plan_picture(spec_input)
        except TooLargeError as reason:
            self._complaints.append(f"{self._name}:{spec_input.text.source.first_line - 1}: {reason}")
            return None
        return part_lines(picture, files, dialect_of(self._path.name))

    def _plan_picture(self, spec_input: Input) -> tuple[EmbeddedPicture, list[str]]:
        """Return the figure of a block as the page shows it, with its files planned."""
        from acdl_mkdocs.drawing.figure.describe import describe
        from acdl_mkdocs.drawing.formats import OUTPUTS
        from acdl_mkdocs.drawing.formats.options import OutputOptions

        options = spec_input.text.options
        examined = spec_input.examine_names()
        with system.pause_collector():
            box = describe(examined.resolved, examined.view)
        picture = EmbeddedPicture(
            _alternative_text(spec_input, examined), {}, "", options.caption, self._link_to_source(spec_input)
        )
        picture = replace(picture, sent_lines=_list_sent(spec_input, examined))
        wanted = OutputOptions(title=options.title, width_px=options.width)
        if options.show == "text":
            return replace(picture, text=OUTPUTS["text"](box, wanted)), []
        schemes = self._choose_schemes(options.theme)
        names = self._name_figures(spec_input, schemes)
        scaled = self._options.scale or (2 if len(schemes) > 1 else 1)
        for scheme, name in names.items():
            figure = self._draw_figure(box, replace(wanted, theme=scheme, scale=scaled))
            path = Path(os.path.normpath(self._path.parent / name))
            self._files[path] = _seal_figure(figure, Path(os.path.relpath(self._path, path.parent)).as_posix())
        width = _width_of(box, wanted) if self._options.format == "png" else ""
        return replace(picture, addresses=names, width=width), list(names.values())

    def _choose_schemes(self, theme: "ThemeName") -> tuple["ThemeName", ...]:
        if theme != "auto":  # the block sets a light or dark scheme
            return (theme,)
        scheme = self._options.scheme
        return ("light", "dark") if scheme == "both" else (scheme,)

    def _name_figures(self, spec_input: Input, schemes: Sequence["ThemeName"]) -> dict["ThemeName", str]:
        """Return unique paths for the figures of a block, from the folder of the page."""
        folder = self._options.assets
        folder = os.path.relpath(folder, self._path.parent) if os.path.isabs(folder) else folder
        base = f"{self._path.stem}.{figure_name(spec_input.text.options, spec_input.text.source.text)}"
        for number in count(1):
            stem = base if number == 1 else f"{base}-{number}"
            names = {
                scheme: posixpath.normpath(
                    posixpath.join(Path(folder).as_posix(), f"{stem}{'.dark' if index else ''}.{self._options.format}")
                )
                for index, scheme in enumerate(schemes)
            }
            if not self._used_names & {fold_name(name) for name in names.values()}:
                break
        self._used_names |= {fold_name(name) for name in names.values()}
        return names

    def _draw_figure(self, box: "Box", options: "OutputOptions") -> bytes:
        """A figure; one in one scheme alone has a background, since it cannot know the page that it is on."""
        from acdl_mkdocs.app.render import collected_remarks
        from acdl_mkdocs.drawing.formats import PICTURES

        if self._options.format == "png":
            with collected_remarks() as remarks:
                figure = PICTURES["png"](box, options)
            self._remarks += [f"{self._name}: {each}" for each in remarks]
            return figure
        return _render_svg(box, options, has_page=len(self._choose_schemes("auto")) == 1)

    def _link_to_source(self, spec_input: Input) -> tuple[str, str]:
        """Return a link to the source of a figure; none if the source is above it and has no other address."""
        base = self._options.link
        file = spec_input.text.file if spec_input.text.options.src else None
        if base == _NO_LINKS or not (file or base):
            return "", ""
        words = file.name if file else "Source"
        if not base:
            return words, Path(os.path.relpath(file or self._path, self._path.parent)).as_posix()
        path = (file or self._path).relative_to(self._root.resolve()).as_posix()
        return words, f"{base.rstrip('/')}/{address_of(path)}"


def _from_settings(settings: Settings, excluded: Container[str]) -> EmbedOptions:
    """Return the options of a settings file, except those on the command line.

    Raises:
        SettingsError: One does not exist, or cannot be what it is.
    """
    values = settings.embed
    option_names = [each.name for each in fields(EmbedOptions)]
    choices = {"format": EMBEDDED_FORMATS, "scheme": EMBEDDED_SCHEMES}
    for name, value in values.items():
        near = find_closest(name, option_names)
        if name not in option_names:
            hint = f"did you mean `{near}`?" if near else f"there are {', '.join(option_names)}"
            raise SettingsError(f"{settings.name}: `embed` has no option `{name}`; {hint}")
        if name == "scale":
            try:
                parse_scale(str(value))
            except argparse.ArgumentTypeError as expected:
                raise SettingsError(f"{settings.name}: `embed.scale`: {expected}") from None
        elif not isinstance(value, str) or value not in choices.get(name, (value,)):
            listed = " or ".join(f'"{each}"' for each in choices.get(name, ())) or "a text in quotes"
            raise SettingsError(f"{settings.name}: `embed.{name}` cannot be {value!r}; it can be {listed}")
    wanted: dict[str, Any] = {name: value for name, value in values.items() if name not in excluded}
    return EmbedOptions(**wanted)


def _real_page(path: Path) -> Path | None:
    """Return the file of a page with links resolved; none if a link leads out of its project."""
    try:
        real = real_path(path)
        around = find_project(path.parent)
    except (OSError, ValueError):
        return None
    return real if real.is_relative_to(around.resolve()) else None


def _alternative_text(spec_input: Input, examined: Examined) -> str:
    """Return the alternative text of a figure: its title, and the explanation of each spec from `acdl explain`."""
    from acdl_mkdocs.evaluation.explain.explain import explain
    from acdl_mkdocs.foundation.config import Config

    options = spec_input.text.options
    explanations = explain(examined.resolved, examined.view.spec or None, Config(range=options.range))
    sentences = [each.summary.replace(each.title, each.name) if each.name else each.summary for each in explanations]
    title = f"{options.title.rstrip('.')}." if options.title else ""
    rest = f"And {len(sentences) - _MOST_SPECS} more." if len(sentences) > _MOST_SPECS else ""
    return " ".join(filter(None, (title, *sentences[:_MOST_SPECS], rest))).replace("`", "")


def _list_sent(spec_input: Input, examined: Examined) -> list[tuple[str, str]]:
    """Return the messages at each point in time that the block names, without source positions, which change."""
    if spec_input.text.state is None:
        return []
    from acdl_mkdocs.app.evaluate_block import evaluate_block
    from acdl_mkdocs.evaluation.formats.text import format_rows

    sent: list[tuple[str, str]] = []
    for each in evaluate_block(spec_input.text, examined, spec_input.config).transcripts:
        title = f"What is sent at @{each.at}: {format_count(len(each.messages), 'message')}"
        sent.append((title, "\n".join(words for _, words in format_rows(each)).strip("\n")))
    return sent


def _render_svg(box: "Box", options: "OutputOptions", *, has_page: bool) -> bytes:
    """Render a figure without source positions, which change with every comment that is not drawn.

    Parameters:
        box: The figure.
        options: How it is drawn.
        has_page: Whether to draw a background, unless the scheme follows the page.
    """
    from acdl_mkdocs.drawing.figure.theme import PAGES
    from acdl_mkdocs.drawing.formats import svg
    from acdl_mkdocs.drawing.formats.xml import Element, to_xml

    with system.pause_collector():
        root = svg.build_svg(box, options)
        pending = [root]
        while pending:
            element = pending.pop()
            element.attributes.pop("data-acdl", None)
            pending += [each for each in element.children if isinstance(each, Element)]
        if has_page and options.theme != "auto":
            described = sum(isinstance(each, Element) and each.name in ("title", "desc") for each in root.children)
            svg.add_margin(root)
            start = root.attributes["viewBox"].split()[0]
            area = {"x": start, "y": start, "width": "100%", "height": "100%"}
            background = Element("rect", area | {"fill": PAGES[options.theme]}, [])
            root.children.insert(described, background)
        return to_xml(root).encode()


def _width_of(box: "Box", options: "OutputOptions") -> str:
    from acdl_mkdocs.drawing.formats import svg

    root = svg.build_svg(box, options)
    svg.add_margin(root)  # as it is around a PNG
    return root.attributes["width"]


def _seal_figure(data: bytes, owner: str) -> bytes:
    """Return a figure with a digest of itself and the page that it belongs to, as a path from its own folder."""
    page = address_of(owner)
    if data.startswith(_PNG):
        body = _PNG_SEAL + f"{_digest_of(data)} {page}".encode("ascii")
        chunk = pack(">I", len(body) - len(b"tEXt")) + body + pack(">I", crc32(body))
        return data.removesuffix(_PNG_END) + chunk + _PNG_END
    return data + f"<!-- {WORD} {_digest_of(data)} {page} -->\n".encode("ascii")


def _owner_of(path: Path) -> Path | None:
    """Return the page that a file belongs to; none if we did not write it, or it was changed since."""
    try:
        data = b"" if os.path.islink(path) else path.read_bytes()
    except OSError:
        return None
    if data.startswith(_PNG):
        figure, _, rest = data.removesuffix(_PNG_END).rpartition(_PNG_SEAL)
        digest, _, owner = rest[:-4].partition(b" ")
        figure = figure[:-4] + _PNG_END
    else:
        data = data.replace(b"\r\n", b"\n")  # git may convert line ends
        seal = _SVG_SEAL.search(data)
        if not seal:
            return None
        figure, digest, owner = data[: seal.start()], seal[1], seal[2]
    if digest != _digest_of(figure).encode():
        return None
    return Path(os.path.normpath(path.parent / unquote(owner.decode("ascii", "replace"))))


def _belongs_to(path: Path, page: Path) -> bool:
    """Return whether a figure belongs to a page, or to one that is gone."""
    owner = _owner_of(path)
    return owner is not None and (owner == page or not os.path.lexists(owner))


def _digest_of(data: bytes) -> str:
    return sha256(data).hexdigest()[:DIGITS]


def _is_same(path: Path, data: bytes) -> bool:
    """Return whether a file has these contents, except for line ends of a text."""
    try:
        contents = path.read_bytes()
    except OSError:
        return False
    return contents == data or (not data.startswith(_PNG) and contents.replace(b"\r\n", b"\n") == data)


def _remove_figure(path: Path, page: Path) -> bool:
    """Remove a figure, and folders that become empty and do not contain the page; return True on success."""
    try:
        path.unlink()
    except OSError as problem:
        print_error(f"{_display_path(path)}: cannot be removed: {(problem.strerror or str(problem)).lower()}")
        return False
    with suppress(OSError):
        for folder in path.parents:
            if page.is_relative_to(folder):
                break
            folder.rmdir()
    return True


def _display_path(path: Path) -> str:
    """Return the display name of a file."""
    try:
        return os.path.relpath(path)
    except ValueError:  # on another drive
        return str(path)


def _print_problems(planned: PagePlan, args: argparse.Namespace) -> None:
    for sentence in (*planned.complaints, *planned.remarks):
        print_error(sentence)
    if planned.findings:
        from acdl_mkdocs.foundation.reports.options import ReportOptions
        from acdl_mkdocs.foundation.reports.terminal import report

        options = ReportOptions(color=should_color(args.color, sys.stderr))
        for diagnostic, source in planned.findings:
            print(report([diagnostic], source, options), file=sys.stderr)
