"""`fence()`: `acdl` blocks by way of `pymdownx.superfences`, for tools whose only hook is a custom fence.

The recommended set-up for Zensical, which calls the factory on every run and redraws all pages when its state
changes. Elsewhere the Markdown extension does the same with less to configure.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from weakref import WeakKeyDictionary

from markdown import Markdown

from acdl_mkdocs.foundation.atomic import replace_file
from acdl_mkdocs.foundation.reports.log_line import format_line_with_help
from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS, draw_block, fence_problems
from acdl_mkdocs.frontends.docs.markdown.extension import AcdlExtension
from acdl_mkdocs.frontends.docs.markdown.fence_settings import FenceSettings
from acdl_mkdocs.frontends.docs.markdown.host import ASSETS, LATER_SCRIPTS, warn_on_stderr
from acdl_mkdocs.frontends.docs.markdown.page_end import PageEnd
from acdl_mkdocs.frontends.docs.markdown.references import add_reference_processors
from acdl_mkdocs.frontends.docs.page import Page
from acdl_mkdocs.frontends.docs.pages.quoted_header import find_unquoted, needs_quotes
from acdl_mkdocs.frontends.docs.settings import read_bool
from acdl_mkdocs.workspace.cache import code_digest
from acdl_mkdocs.workspace.fences import Fence, lines_of, scan_fences
from acdl_mkdocs.workspace.options import BlockOptions
from acdl_mkdocs.workspace.page_kinds import kind_of
from acdl_mkdocs.workspace.read_block import read_block
from acdl_mkdocs.workspace.states import ENDINGS

_NAME, _BEHIND_REFERENCES = "acdl_alone", 4


class SuperfencesWatcher(PageEnd):
    """Reports blocks that superfences does not understand, in one converter."""

    def __init__(self, md: Markdown, page_of: Callable[[], Page]) -> None:
        """Register with a converter.

        Parameters:
            md: The converter.
            page_of: Returns the page that is converted, if superfences understands no block of it.
        """
        super().__init__(md, _NAME, _BEHIND_REFERENCES)
        self._page_of = page_of
        self._references = add_reference_processors(md, self._current_page)
        self._page: Page | None = None
        self._lines: list[str] = []

    def begin_page(self, page: Page, lines: list[str]) -> None:
        """Begin a page, with its lines as superfences found them."""
        self._page, self._lines = page, lines

    def end_page(self) -> None:
        """Report the blocks that superfences never passed to the fence."""
        for fence in scan_fences(self._lines):
            if needs_quotes(fence):
                page = self._current_page()
                problem, source = find_unquoted(fence, page)
                page.report(problem.severity, format_line_with_help(problem, source))
        self._page, self._lines = None, []
        self._references.forget_references()

    def _current_page(self) -> Page:
        self._page = self._page or self._page_of()
        return self._page


def watcher_of(md: Markdown) -> SuperfencesWatcher | None:
    """Return the watcher of a converter, if it has one."""
    processor = md.postprocessors[_NAME] if _NAME in md.postprocessors else None  # noqa: SIM401 - a `Registry` has no `get`
    return processor if isinstance(processor, SuperfencesWatcher) else None


_HEADING = re.compile(r" {0,3}#{1,6}[ \t]++(?P<words>.*)")
_EXPLICIT_ID = re.compile(r"(?:^|[\s{:])#([^\s{}]+)")
_MARKUP = re.compile(r"!?\[([^\[\]]*)\](?:\((?>(?:[^()]++|\([^()]*\))*)\)|\[[^\[\]]*\])|<[^<>]*>")


def heading_ids(md: Markdown, lines: Sequence[str]) -> frozenset[str]:
    """Return the ids of the headings of a page.

    Parameters:
        md: The converter; without its extension `toc` headings have no ids.
        lines: Of the page.
    """
    if "toc" not in md.treeprocessors:
        return frozenset()
    toc = md.treeprocessors["toc"]
    ids: set[str] = set()
    numbers = Counter[str]()
    for words, attributes in _list_headings(lines):
        chosen = _EXPLICIT_ID.search(attributes)
        slug = chosen[1] if chosen else str(toc.slugify(_MARKUP.sub(r"\1", words), toc.sep))  # type: ignore[attr-defined]  # it is that of `toc`
        name, number = slug, numbers[slug]
        while name in ids:
            number += 1
            name = f"{slug}_{number}"
        numbers[slug] = number
        ids.add(name)
    return frozenset(ids)


def _list_headings(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return the words of each heading and its attributes, which are empty if it has none."""
    lines = list(lines)
    for fence in scan_fences(lines):
        lines[fence.first : fence.end] = [""] * (fence.end - fence.first)
    matches = (_HEADING.fullmatch(line) for line in lines)
    return [_with_attributes(match["words"].rstrip(" \t")) for match in matches if match]


def _with_attributes(words: str) -> tuple[str, str]:
    at = words.rfind("{")
    if at < 0 or words.find("}", at) != len(words) - 1:
        return words.rstrip(" \t#"), ""
    return words[:at].rstrip(" \t#"), words[at:]


_PAGES: WeakKeyDictionary[Markdown, tuple[list[str], Page]] = WeakKeyDictionary()
"""The page of each Markdown instance, with its lines."""


class SuperFence:
    """A `format` for `custom_fences`; its pickle changes when its drawings could change."""

    def __init__(
        self,
        *,
        strict: bool = False,
        watch: tuple[str, ...] = (),
        stylesheet: str = "",
        script: str = "",
        **settings: object,
    ) -> None:
        copies = {"stylesheet": stylesheet, "script": script}
        self._settings = {"strict": strict, "watch": tuple(watch), **copies, **settings}
        if stylesheet:
            _write_if_changed(Path(stylesheet), (ASSETS / "acdl.css").read_bytes())
        if script:
            _write_if_changed(Path(script), (ASSETS / "acdl.js").read_bytes())
            for name in ("acdl-gallery.js", *LATER_SCRIPTS):
                _write_if_changed(Path(script).with_name(name), (ASSETS / name).read_bytes())
        self.fence_settings = FenceSettings(strict, settings)
        self._watch = tuple(watch)
        self._root = Path(str(settings.get("root") or "."))
        self._extension = AcdlExtension(**settings)

    def __getstate__(self) -> dict[str, object]:
        """Return the settings, and digests of the code and of the watched specs."""
        return {"settings": self._settings, "code": code_digest(), "specs": self._specs_digest()}

    def __setstate__(self, state: dict[str, object]) -> None:
        settings = state["settings"]
        if isinstance(settings, dict):
            SuperFence.__init__(self, **settings)

    def __call__(
        self, src: str, language: str, css_class: str, options: dict[str, str], md: Markdown, **parts: object
    ) -> str:
        """Draw one block in the form that superfences expects."""
        del css_class
        page = _page_for(md, self._extension)
        header = _build_header(language, options, parts.get("id_value"), parts.get("classes"))
        n_lines = src.count("\n") + 2
        text = src if src.endswith("\n") or not src else f"{src}\n"
        fence = Fence(0, n_lines, "", "```", header, text, 1, is_closed=True)
        return page.relocate(draw_block(fence, page).html)

    def _specs_digest(self) -> str:
        digest = blake2b(digest_size=16)
        for folder in self._watch:
            files = [path for ending in (".acdl", ".xml", *ENDINGS) for path in Path(folder).rglob(f"*{ending}")]
            for path in sorted(files):
                digest.update(path.as_posix().encode("utf-8", "surrogateescape"))
                digest.update(path.read_bytes())
            for path in sorted(each for each in Path(folder).rglob("*.*") if kind_of(each) == "markdown"):
                for fence in scan_fences(lines_of(path.read_text("utf-8", "replace"))):
                    if fence.language in BLOCKS:
                        digest.update(f"{path.as_posix()}{fence.header}\n{fence.text}".encode("utf-8", "replace"))
                        digest.update(self._src_bytes(fence))
        return digest.hexdigest()

    def _src_bytes(self, fence: Fence) -> bytes:
        """Return the contents of the file named by an XML block, a comparison or runs; other files are watched."""
        if fence.language == "acdl" and "runs" in fence.header:
            runs = read_block(fence, "", BlockOptions(), self._root).runs
            return repr(runs.facts).encode() if runs else b""
        if fence.language in ("acdl-diff", "acdl-inspect", "acdl-variants"):
            page = Page(root=self._root)
            for _ in fence_problems(fence, page):  # they are reported when it is drawn
                pass
            return b"".join(path.read_bytes() for path in sorted(page.files) if path.is_file())
        if fence.language not in ("laic", "pml") or "src" not in fence.header:
            return b""
        from acdl_mkdocs.frontends.docs.blocks.xml_fence import read_xml  # few pages have one

        return read_xml(fence, "", self._root, fence.language).raw.encode("utf-8", "replace")


def fence(**settings: object) -> SuperFence:
    """Make the `format` of a custom fence.

    Parameters:
        settings: Those of the Markdown extension; `strict=True` makes a build fail on the first wrong block;
            `watch=["examples"]` redraws everything when a spec in these folders changes;
            `stylesheet="docs/assets/acdl.css"` and `script="docs/assets/acdl.js"` keep copies of these files there, for
            `extra_css` and `extra_javascript` of a tool to which plugins cannot add files.
    """
    strict, watch = read_bool("strict", settings.pop("strict", False)), settings.pop("watch", ())
    folders = tuple(str(each) for each in watch) if isinstance(watch, (list, tuple)) else (str(watch),)
    for folder in folders:
        if not Path(folder).is_dir():
            warn_on_stderr(f"`watch` names the folder `{folder}`, which does not exist")
    stylesheet, script = (str(settings.pop(name, "")) for name in ("stylesheet", "script"))
    return SuperFence(strict=strict, watch=folders, stylesheet=stylesheet, script=script, **settings)


def validate(
    language: str, inputs: dict[str, str], options: dict[str, str], attrs: dict[str, str], md: Markdown
) -> bool:
    """The `validator` of a custom fence: take every option, so that a wrong one is explained in the page."""
    del language, attrs, md
    options.update(inputs)
    return True


def _write_if_changed(path: Path, data: bytes) -> None:
    """Write a file unless it exists unchanged: a new time stamp would start another build."""
    if not path.is_file() or path.read_bytes() != data:
        replace_file(path, data)


def _page_for(md: Markdown, extension: AcdlExtension) -> Page:
    """Return one page for all fences of one conversion."""
    lines: list[str] = getattr(md, "lines", [])
    entry = _PAGES.get(md)
    if entry is None or entry[0] is not lines:
        entry = (lines, extension.page_of(md))
        _PAGES[md] = entry
        if "acdl" not in md.preprocessors:
            (watcher_of(md) or SuperfencesWatcher(md, partial(extension.page_of, md))).begin_page(entry[1], lines)
        entry[1].foreign_ids |= heading_ids(md, lines)
        _catalog_blocks(entry[1], lines)
    return entry[1]


def _catalog_blocks(page: Page, lines: list[str]) -> None:
    """Give a page the texts of its blocks before the first is drawn; their anchors are known only later."""
    fences = [each for each in scan_fences(lines) if each.language in BLOCKS and not each.is_code]
    page.blocks = tuple(fences)
    for fence in fences:
        if fence.language == "acdl":
            page.catalog.add_text(read_block(fence, page.name, page.settings.defaults, page.root))


def _build_header(language: str, options: dict[str, str], id_value: object, classes: object) -> str:
    """Rebuild the header as it might have been written."""
    words = [language, f"#{id_value}"] if id_value else [language]
    words += [f".{each}" for each in classes] if isinstance(classes, list) else []
    for name, value in options.items():
        escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
        words.append(f'{name}="{escaped}"')
    return " ".join(words)
