"""The state of a language server: folders, settings, open texts and those on the disk.

Every question of an editor is answered from `workspace`, which never changes; an edit replaces it by another. Knows
no protocol.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path, PurePath
from typing import Literal

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.config import Config, RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.editor.documents import SUFFIXES, Document, Language, language_of, path_of
from acdl_mkdocs.frontends.editor.positions import EditableLines, Encoding, Position
from acdl_mkdocs.frontends.editor.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of the editor."""

    name: str
    """The name without the section."""
    kind: Literal["boolean", "number", "string"]
    default: bool | int | str
    description: str
    choices: tuple[str, ...] = ()
    """The values of a string that is not free."""


SETTINGS = (
    Setting(
        "range",
        "string",
        "project",
        "How `range(a, b)` is read: as set in the project's `acdl.toml` or `pyproject.toml`, or always in one way.",
        ("project", "half-open", "inclusive"),
    ),
    Setting(
        "diagnostics",
        "string",
        "workspace",
        "Which problems are shown: those in all files of the workspace, in open files, or none.",
        ("workspace", "open", "off"),
    ),
    Setting("codeLens", "boolean", True, "Whether lines above specs and fragments show how often they are used."),
    Setting("inlayHints", "boolean", True, "Whether ends of ranges and names of arguments are shown in the text."),
    Setting(
        "maxFiles", "number", 5000, "Maximum number of workspace files to read; the others are read only when opened."
    ),
    Setting("ruleUrl", "string", "", "Address of the page that explains a rule, with `{rule}` in place of its name."),
)
"""All settings, in the order in which they are documented."""
_WEB = compile_later(r"https?://[!-~]+\Z", re.IGNORECASE)
_OF_CLIENTS = ("server", "trace", "preview", "markdownPreview")
"""Settings that editor extensions keep in the same section for themselves."""


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """The values of the settings."""

    range: RangeMode | None = None
    """How ranges are read, overriding the project; `None` if the project decides."""
    diagnostics: Literal["workspace", "open", "off"] = "workspace"
    has_lenses: bool = True
    has_hints: bool = True
    max_files: int = 5000
    rule_url: str = ""


def read_settings(value: object) -> tuple[EditorSettings, tuple[str, ...]]:
    """Read settings from an editor, and report their problems; an invalid one keeps its default.

    Parameters:
        value: The section as a mapping, in whole or within one of the name `acdl`; anything else has no settings.
    """
    values = value.get("acdl", value) if isinstance(value, Mapping) else {}
    values = values if isinstance(values, Mapping) else {}
    settings = {each.name: each for each in SETTINGS}
    taken = {name: each.default for name, each in settings.items()}
    problems: list[str] = []
    for name, wanted in values.items():
        if wanted is None or name in _OF_CLIENTS:
            continue
        if name not in settings:
            near = find_closest(str(name), settings)
            hint = f"did you mean `acdl.{near}`?" if near else f"there are {', '.join(settings)}"
            problems.append(f"there is no setting `acdl.{name}`; {hint}")
        elif reason := _explain_wrong_value(settings[name], wanted):
            problems.append(f"`acdl.{name}` {reason}")
        else:
            taken[name] = wanted
    return _build_settings(taken), tuple(problems)


def _explain_wrong_value(setting: Setting, value: object) -> str:
    """Explain why a setting cannot have a value; empty if it can."""
    if setting.choices and value not in setting.choices:
        return f"cannot be {value!r}; it can be {', '.join(f'`{each}`' for each in setting.choices)}"
    if setting.kind == "boolean" and not isinstance(value, bool):
        return f"cannot be {value!r}; it can be `true` or `false`"
    if setting.kind == "number" and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        return f"cannot be {value!r}; it has to be a number from 0"
    if setting.kind == "string" and not isinstance(value, str):
        return "has to be a text"
    is_address = setting.name != "ruleUrl" or not value or _WEB.match(str(value))
    return "" if is_address else f"cannot be {value!r}; it has to begin with `https://`"  # others can run a command


def _build_settings(values: Mapping[str, object]) -> EditorSettings:
    settings = EditorSettings(
        has_lenses=values["codeLens"] is True,
        has_hints=values["inlayHints"] is True,
        max_files=int(str(values["maxFiles"])),
        rule_url=str(values["ruleUrl"]),
    )
    if values["range"] == "inclusive" or values["range"] == "half-open":
        settings = replace(settings, range=values["range"])
    if values["diagnostics"] == "open" or values["diagnostics"] == "off":
        settings = replace(settings, diagnostics=values["diagnostics"])
    return settings


_MARKDOWN = ("markdown", "mdx", "quarto", "rmd")
"""The editors' language ids for pages."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """A replaced part of a text."""

    text: str
    start: Position | None = None
    """`None` if all of the text was replaced."""
    end: Position | None = None


@dataclass(slots=True)
class Session:
    """One editor and its workspace."""

    encoding: Encoding = "utf-16"
    settings: EditorSettings = field(default_factory=EditorSettings)
    folders: tuple[Path, ...] = ()
    has_versioned_edits: bool = False
    """Whether the editor refuses edits of a text that has changed since they were made."""
    workspace: Workspace = field(default_factory=lambda: Workspace({}))
    _open: dict[str, Path] = field(default_factory=dict)
    """The path by which each open document is checked."""
    _uris: dict[Path, str] = field(default_factory=dict)
    """The editor's URI for a path that is or was open."""
    _disk: Mapping[Path, str] = field(default_factory=dict)
    _configs: Mapping[Path, Config] = field(default_factory=dict)
    """The settings of folders that have any."""

    def uri_of(self, path: Path) -> str:
        """Return the editor's URI for a file."""
        return self._uris.get(path) or path.as_uri()

    def path_of(self, uri: str) -> Path | None:
        """Return the path by which a document is checked."""
        return self._open.get(uri) or _make_absolute(path_of(uri))

    def is_open(self, uri: str) -> bool:
        """Return whether a text is open in the editor, possibly unsaved."""
        return uri in self._open

    @property
    def open_uris(self) -> tuple[str, ...]:
        """The URIs of all open documents."""
        return tuple(self._open)

    def find_document(self, uri: str) -> Document | None:
        """Return a document that is open or in the workspace, however the editor spells its URI."""
        document = self.workspace.documents.get(uri)
        if document is None and (path := self.path_of(uri)) is not None:
            document = self.workspace.documents.get(self.uri_of(path))
        return document

    def open_document(self, uri: str, text: str, language: str, version: int) -> Document | None:
        """Open a text; return `None` if it is not ours."""
        read_as = _language_for(uri, language)
        if read_as is None:
            return None
        path = _make_absolute(path_of(uri)) or self._path_of_unsaved(uri, read_as)
        self.workspace = self.workspace.without_document(self.uri_of(path))
        self._open.pop(self.uri_of(path), None)  # another spelling of the URI: the text opened last counts
        self._open[uri] = path
        self._uris[path] = uri
        document = Document(uri, text, read_as, version)
        self.workspace = self.workspace.with_document(document)
        return document

    def change_document(self, uri: str, changes: Iterable[TextChange], version: int) -> Document | None:
        """Apply edits to an open text."""
        document = self.workspace.documents.get(uri)
        if document is None or uri not in self._open:
            return None
        text, lines = document.text, None
        for number, each in enumerate(changes):
            if each.start is None or each.end is None:
                text, lines = each.text, None
            elif number:
                lines = lines or EditableLines(text, self.encoding)
                lines.replace_range(each.start, each.end, each.text)
            else:  # the only edit, mostly: the places are known already
                span = document.positions_in(self.encoding).span_between(each.start, each.end)
                text = text[: span.start] + each.text + text[span.end :]
        document = document.with_text(lines.text if lines else text, version)
        self.workspace = self.workspace.with_document(document)
        return document

    def close_document(self, uri: str) -> Path | None:
        """Close a text and return its path; if it has a file, the file counts again."""
        path = self._open.pop(uri, None)
        if path is None:
            return None
        self.workspace = self.workspace.without_document(uri)
        self._uris.pop(path, None)
        if path in self._disk:
            self.workspace = self.workspace.with_document(_on_disk(path, self._disk[path]))
        return path

    def take_files(self, texts: Mapping[Path, str], configs: Mapping[Path, Config]) -> None:
        """Replace the files on the disk and their settings."""
        self._disk, self._configs = texts, configs
        documents = {uri: self.workspace.documents[uri] for uri in self._open}
        taken = set(self._open.values())
        files = (_on_disk(path, text) for path, text in texts.items() if path not in taken)
        self.workspace = Workspace({**{each.uri: each for each in files}, **documents})
        self.take_settings(self.settings)

    def take_settings(self, settings: EditorSettings) -> None:
        """Set the settings of the editor, which override those of projects."""
        self.settings = settings
        configs = {
            uri: self._config_for(path)
            for path, uri in self._list_paths()
            if path.parent in self._configs or settings.range
        }
        self.workspace = self.workspace.with_settings(configs=configs)

    def take_states(self, states: Mapping[str, Source]) -> None:
        """Set the sample states of documents, by the URI of each."""
        self.workspace = self.workspace.with_settings(states=states)

    def _config_for(self, path: Path) -> Config:
        config = self._configs.get(path.parent, Config())
        return replace(config, range=self.settings.range) if self.settings.range else config

    def _list_paths(self) -> Iterator[tuple[Path, str]]:
        for uri, document in self.workspace.documents.items():
            path = self._open.get(uri) or document.path
            if path:
                yield path, uri

    def open_texts(self) -> dict[Path, str]:
        """Return the open texts, by the path by which each is checked."""
        return {path: self.workspace.documents[uri].text for uri, path in self._open.items()}

    def text_of(self, path: Path) -> str | None:
        """Return the text of a file: as open in the editor, or else as last read from the disk."""
        document = self.workspace.documents.get(self.uri_of(path))
        return document.text if document else self._disk.get(path)

    def _path_of_unsaved(self, uri: str, language: Language) -> Path:
        """Return a path for a text without a file, in the first folder, so that it gets the settings of that folder."""
        suffix = next(suffix for suffix, each in SUFFIXES.items() if each == language)
        name = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in uri)[-100:]
        return (self.folders[0] if self.folders else Path.cwd()) / f"{PurePath(name).stem}.unsaved{suffix}"


def _on_disk(path: Path, text: str) -> Document:
    return Document(path.as_uri(), text, SUFFIXES[path.suffix.lower()])


def _language_for(uri: str, name: str) -> Language | None:
    if name == "acdl" or name in _MARKDOWN:
        return "acdl" if name == "acdl" else "markdown"
    return language_of(uri)


def _make_absolute(path: Path | None) -> Path | None:
    """Return a path as folders have it: absolute, links not followed."""
    return path.absolute() if path and "\0" not in str(path) else None
