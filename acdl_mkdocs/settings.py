"""A project's settings: `acdl.toml`, or `[tool.acdl]` in `pyproject.toml`. One schema, also for the options of plugins.

```toml
range = "inclusive"          # how range(a, b) is read
exclude = ["vendor/**"]      # files that `acdl check` and `acdl format` leave out when they search folders

[rules]                      # [tool.acdl.rules] in pyproject.toml
unused-name = "off"          # off, note, warning or error
```
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from acdl_mkdocs.config import Config, Level, RangeMode
from acdl_mkdocs.errors import SettingsError
from acdl_mkdocs.suggest import closest

_KEYS = ("range", "exclude", "rules")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a project's file says."""

    config: Config = field(default_factory=Config)
    exclude: tuple[str, ...] = ()
    """Patterns of paths, from the folder of the file."""
    folder: Path | None = None
    """The folder of the file; `None` if there is no file."""


def load_settings(start: Path) -> Settings:
    """The settings for a file or folder: those of the nearest folder, from there upwards, that has any.

    Raises:
        SettingsError: The file cannot be read, or says something that does not exist; the message names the near one.
    """
    folder = start.resolve()
    for candidate in (folder, *folder.parents):
        for name, table in (("acdl.toml", ()), ("pyproject.toml", ("tool", "acdl"))):
            path = candidate / name
            if path.is_file():
                values = _table(path, table)
                if values is not None:
                    return _settings(values, path)
    return Settings()


def read_levels(values: Mapping[str, object], where: str) -> dict[str, Level]:
    """What rules are to a project, by name.

    Parameters:
        values: Rule name to level, as written.
        where: What a person calls the place they were written in; begins the message.

    Raises:
        SettingsError: A rule or a level does not exist.
    """
    from acdl_mkdocs.rules import RULES

    levels: dict[str, Level] = {}
    for name, value in values.items():
        if name not in RULES:
            raise SettingsError(f"{where}: there is no rule `{name}`{_hint(name, RULES)}")
        level = next((each for each in get_args(Level) if each == value), None)
        if level is None:
            choices = ", ".join(f"`{each}`" for each in get_args(Level))
            raise SettingsError(f"{where}: `{name}` cannot be {value!r}; it can be {choices}")
        levels[name] = level
    return levels


def _table(path: Path, names: tuple[str, ...]) -> Mapping[str, object] | None:
    """The table of a TOML file that holds the settings; `None` if the file has no such table."""
    try:
        values: object = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as reason:
        if names:
            return None  # a broken pyproject.toml is for other tools to report
        raise SettingsError(f"{path}: {reason}") from None
    for name in names:
        values = values.get(name) if isinstance(values, Mapping) else None
    return values if isinstance(values, Mapping) else None


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
    config = Config(range=mode, levels=read_levels(rules, str(path)))
    return Settings(config, tuple(exclude), path.parent)


def _hint(name: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    near = closest(name, known)
    return f"; did you mean `{near}`?" if near else f"; there are {', '.join(sorted(known))}"
