"""A project's settings: `acdl.toml`, or `[tool.acdl]` in `pyproject.toml`. One schema, also for the options of plugins.

```toml
range = "inclusive"          # how range(a, b) is read
root = true                  # paths in blocks begin at this folder
exclude = ["vendor/**"]      # files that `acdl check` and `acdl format` leave out when they search folders

[rules]                      # [tool.acdl.rules] in pyproject.toml
unused-name = "off"          # off, note, warning or error

[embed]                      # [tool.acdl.embed] in pyproject.toml: options of `acdl embed`
assets = "img"
```
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, get_args

from acdl_mkdocs.foundation.config import Config, Level, RangeMode
from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import find_closest

_TABLES: Mapping[str, tuple[str, ...]] = {"acdl.toml": (), "pyproject.toml": ("tool", "acdl")}
SETTINGS_FILES = tuple(_TABLES)
"""The files that can have settings, in order of precedence."""
_HEADER = b"[tool.acdl"
_MAY_HAVE_TABLE = re.compile(rb"""tool["']?\s*(?:\.\s*["']?acdl|\]|=)|\\[uUx]""")
"""Present in files that set `tool.acdl`, in any spelling, also with escapes: others need not be parsed."""
_MOST_BYTES, _MOST_DOTS = 1_000_000, 1_000
"""Limits of a file that is read as TOML, and of one of its lines."""
_KEYS = ("range", "exclude", "root", "rules", "embed")
EmbeddedFormat = Literal["svg", "png"]
EmbeddedScheme = Literal["both", "auto", "light", "dark"]
"""Choices of `[embed]`; `both` writes two files."""
EMBEDDED_FORMATS, EMBEDDED_SCHEMES = get_args(EmbeddedFormat), get_args(EmbeddedScheme)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a project."""

    range: RangeMode = "half-open"
    exclude: tuple[str, ...] = ()
    """Patterns of paths, relative to the folder of the file; one without `/` matches names in every folder."""
    folder: Path | None = None
    """The folder of the file; `None` if there is no file."""
    rules: Mapping[str, object] = field(default_factory=dict)
    """Rule name to level, as written."""
    name: str = ""
    """The name of the file in messages."""
    is_root: bool = False
    """Whether paths in blocks, such as those of `src`, are relative to the folder of the file."""
    embed: Mapping[str, object] = field(default_factory=dict)
    """Options of `acdl embed`, as written."""

    @property
    def config(self) -> Config:
        """The configuration for reading and checking texts.

        Raises:
            SettingsError: A rule or a level does not exist.
        """
        return Config(range=self.range, levels=read_levels(self.rules, self.name))

    def is_excluded(self, path: Path) -> bool:
        """Return whether a file or folder is excluded from searches."""
        if not self.exclude or self.folder is None:
            return False
        resolved_path = path.parent.resolve() / path.name
        name = (
            resolved_path.relative_to(self.folder).as_posix()
            if resolved_path.is_relative_to(self.folder)
            else resolved_path.as_posix()
        )
        return any(_pattern(each).fullmatch(name) for each in self.exclude)


_chosen: ContextVar[Path | None] = ContextVar("chosen", default=None)


@contextmanager
def use_settings_from(path: Path | None) -> Iterator[None]:
    """Within a block, read the settings of all files and folders from one file; without a path, from the nearest."""
    token = _chosen.set(path)
    try:
        yield
    finally:
        _chosen.reset(token)


def load_settings(start: Path, top: Path | None = None) -> Settings:
    """Return the settings for a file or folder: those of the nearest folder, from there upwards, that has any.

    Within `use_settings_from`, these are the settings of that file.

    Parameters:
        start: The file or folder.
        top: Files outside of this folder, which is a path without links, are neither read nor reported.

    Raises:
        SettingsError: The file cannot be read, or has an unknown name; the message suggests the nearest one.
            Rules are read on first use, since that takes longer than everything else.
    """
    chosen = _chosen.get()
    if chosen is not None:
        is_inside = top is None or chosen.resolve().is_relative_to(top)
        return _settings_in(chosen) if is_inside else Settings()
    folder = start.resolve()
    candidates = (each for each in (folder, *folder.parents) if top is None or each.is_relative_to(top))
    settings = (settings_in(candidate) for candidate in candidates)
    return next((each for each in settings if each is not None), Settings())


def settings_in(folder: Path) -> Settings | None:
    """Return the settings in a folder, ignoring its parents; `None` if it has none.

    Raises:
        SettingsError: As for `load_settings`.
    """
    for name, table in _TABLES.items():
        path = folder / name
        if path.exists():
            status = path.stat()
            values = _table(path, table, (status.st_mtime_ns, status.st_size))
            if values is not None:
                return _settings(values, path)
    return None


def _settings_in(path: Path) -> Settings:
    """Return the settings of a file that a person named: `pyproject.toml`, or any other in the form of `acdl.toml`."""
    status = path.stat()
    values = _table(path, _TABLES.get(path.name, ()), (status.st_mtime_ns, status.st_size))
    if values is None:
        raise SettingsError(f"{path}: has no table `[tool.acdl]`")
    return _settings(values, path.resolve())


def read_levels(values: Mapping[str, object], where: str) -> dict[str, Level]:
    """Return the levels of rules in a project, by name.

    Parameters:
        values: Rule name to level, as written.
        where: The place in words; begins the message.

    Raises:
        SettingsError: A rule or a level does not exist.
    """
    if not values:
        return {}
    from acdl_mkdocs.language.rules import RULES
    from acdl_mkdocs.prompts.pml.problems import PML_RULES

    levels: dict[str, Level] = {}
    for name, value in values.items():
        if name not in RULES:
            reason = f"there is no rule `{name}`{_hint(name, RULES)}"
            if name in PML_RULES:
                reason = f"`{name}` is a problem of PML and LAIC, whose level cannot be set"
            raise SettingsError(f"{where}: {reason}")
        level = next((each for each in get_args(Level) if each == value), None)
        if level is None:
            choices = ", ".join(f"`{each}`" for each in get_args(Level))
            raise SettingsError(f"{where}: `{name}` cannot be {value!r}; it can be {choices}")
        levels[name] = level
    return levels


@cache
def _pattern(words: str) -> re.Pattern[str]:
    """Compile a pattern of paths: `**` matches any folders, `*` and `?` stay within one; matches include contents."""
    path = words.strip("/")
    signs = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", path if "/" in path else f"**/{path}")
    return re.compile("".join(signs.get(part, re.escape(part)) for part in parts) + "(?:/.*)?")


@lru_cache(maxsize=64)
def _table(path: Path, names: tuple[str, ...], stamp: tuple[int, int]) -> Mapping[str, object] | None:
    """Return the table of a TOML file that holds the settings; `None` if the file has no such table.

    Cached until its stamp changes: many folders of a project share it.
    """
    del stamp
    data = b""
    try:
        data = path.read_bytes()
        if names and not _MAY_HAVE_TABLE.search(data):
            return None
        values: object = _read_toml(data)
    except (OSError, ValueError) as reason:
        if names and _HEADER not in data:
            return None  # a broken pyproject.toml without settings is for other tools to report
        cause = reason.strerror.lower() if isinstance(reason, OSError) and reason.strerror else str(reason)
        raise SettingsError(f"{path}: cannot be read: {cause}") from None
    for name in names:
        values = values.get(name) if isinstance(values, Mapping) else None
    if values is not None and not isinstance(values, Mapping):
        raise SettingsError(f"{path}: `{'.'.join(names)}` has to be a table: write `[{'.'.join(names)}]`")
    return values


def _read_toml(data: bytes) -> Mapping[str, object]:
    """Return the values of a TOML file from an untrusted source.

    Raises:
        ValueError: It is not TOML, or would take too long: the parser has no limits, and copies keys for their parts.
    """
    if len(data) > _MOST_BYTES:
        raise ValueError(f"it has {len(data):,} bytes, and at most {_MOST_BYTES:,} are read")
    line = next((number for number, line in enumerate(data.split(b"\n"), 1) if line.count(b".") > _MOST_DOTS), 0)
    if line:
        raise ValueError(f"line {line} has more than {_MOST_DOTS:,} dots; write shorter keys")
    import tomllib  # few projects have such a file

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("it is nested too deeply; write fewer levels") from None


def _settings(values: Mapping[str, object], path: Path) -> Settings:
    for name in values:
        if name not in _KEYS:
            raise SettingsError(f"{path}: there is no setting `{name}`{_hint(name, _KEYS)}")
    mode = next((each for each in get_args(RangeMode) if each == values.get("range", "half-open")), None)
    if mode is None:
        raise SettingsError(f"{path}: `range` cannot be {values['range']!r}; it can be `half-open` or `inclusive`")
    exclude, rules = values.get("exclude", []), values.get("rules", {})
    if not isinstance(exclude, list) or not all(isinstance(each, str) for each in exclude):
        raise SettingsError(f"{path}: `exclude` has to be a list of patterns")
    if not isinstance(rules, Mapping):
        raise SettingsError(f"{path}: `rules` has to be a table of rule names and levels")
    is_root = values.get("root", False)
    if not isinstance(is_root, bool):
        raise SettingsError(f"{path}: `root` has to be `true` or `false`: whether paths in blocks begin at its folder")
    embed = values.get("embed", {})
    if not isinstance(embed, Mapping):
        raise SettingsError(f"{path}: `embed` has to be a table of options of `acdl embed`")
    return Settings(mode, tuple(exclude), path.parent, rules, str(path), is_root, embed)


def _hint(name: str, names: Mapping[str, object] | tuple[str, ...]) -> str:
    near = find_closest(name, names)
    return f"; did you mean `{near}`?" if near else f"; there are {', '.join(sorted(names))}"
