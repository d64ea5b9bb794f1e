"""The settings of all blocks of a site: of the Markdown extension, of the plugin and of the fence.

Every front end takes them through `set_setting`, so that a wrong one is explained in the same words everywhere.
"""

import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path

from acdl_mkdocs.foundation.config import Level
from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.workspace.header import find_near_choice
from acdl_mkdocs.workspace.options import SITE_OPTIONS, BlockOptions, set_option
from acdl_mkdocs.workspace.settings import load_settings, read_levels


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of all blocks of a site."""

    defaults: BlockOptions = field(default_factory=BlockOptions)
    """Options of a block whose header does not mention them."""
    show_warnings: bool = False
    """Whether a page shows warnings and notes too, not only errors."""
    rule_url: str = ""
    """Address of the page that explains a rule, with `{rule}` in place of its name."""
    source_url: str = ""
    """Address of the repository's files: comments such as `// <- agent.py:40` become links to them."""
    playground: str = ""
    """Address of a playground that `acdl playground` has written: figures link to it, with their text in the link."""
    rules: tuple[tuple[str, Level], ...] = ()
    """What rules are to the site, with their names in order; a rule that is not named keeps its own severity."""
    root: Path | None = None
    """The project's folder, for `src`; `None` means that of the docs tool's configuration file."""


SETTINGS = (*SITE_OPTIONS, "root", "show_warnings", "rule_url", "source_url", "playground", "rules")
"""The names of all settings."""

_WEB = re.compile(r"https?://", re.IGNORECASE)
_SCHEME = re.compile(r"[^/?#]*:")

_WORDS: Mapping[str, bool] = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def set_setting(settings: Settings, name: str, value: object) -> Settings:
    """Set one setting.

    Raises:
        ValueError: It does not exist or its value does not fit; the text is a sentence that names the near one.
    """
    if name in SITE_OPTIONS:
        try:
            return replace(settings, defaults=set_option(settings.defaults, name, value))
        except ValueError as expected:
            near = find_near_choice(value, expected)
            hint = f"; did you mean `{near}`?" if near else ""
            message = f"the setting `{name}` of `acdl` cannot be {value!r}: expected {expected}{hint}"
            raise ValueError(message) from None
    if name == "root":
        return replace(settings, root=Path(str(value)))
    if name == "show_warnings":
        return replace(settings, show_warnings=read_bool(name, value))
    if name == "rule_url":
        return replace(settings, rule_url=_read_address(name, value))
    if name == "source_url":
        return replace(settings, source_url=_read_address(name, value))
    if name == "playground":
        return replace(settings, playground=_read_playground(name, value))
    if name == "rules":
        return replace(settings, rules=_read_levels(settings, value))
    near = find_closest(name, SETTINGS)
    raise ValueError(f"`acdl` has no setting `{name}`{f'; did you mean `{near}`?' if near else ''}")


def folder_of_site(name: str, value: str) -> str:
    """Return a folder of the finished site, without slashes around it; empty if there is none.

    Raises:
        ValueError: It would lie outside the site; the text is a sentence.
    """
    parts = value.rstrip("/").split("/") if value else []
    if any(part in ("", ".", "..") or set('\\:*?"<>|') & set(part) or not part.isprintable() for part in parts):
        expected = "expected a folder of the site, such as `specs` or `library/specs`"
        raise ValueError(f"the option `{name}` of `acdl` cannot be {value!r}: {expected}")
    return "/".join(parts)


def project_settings(folder: Path) -> Settings:
    """Read the project's own settings, `acdl.toml` or `pyproject.toml`; those of tools override them.

    Raises:
        SettingsError: The file cannot be read, or has an unknown setting.
    """
    config = load_settings(folder).config
    return Settings(BlockOptions(range=config.range), rules=tuple(sorted(config.levels.items())))


def _read_levels(settings: Settings, value: object) -> tuple[tuple[str, Level], ...]:
    """Return the current levels of rules, updated by the given ones."""
    if not isinstance(value, Mapping):
        raise ValueError(f"the setting `rules` of `acdl` cannot be {value!r}: expected rule names with their levels")
    try:
        levels = read_levels(
            {str(rule): _level_word(level) for rule, level in value.items()}, "the setting `rules` of `acdl`"
        )
    except SettingsError as reason:
        raise ValueError(str(reason)) from None
    return tuple(sorted({**dict(settings.rules), **levels}.items()))


def _read_address(name: str, value: object) -> str:
    """Return an address of the web, or one of the site; never one that runs a script."""
    if isinstance(value, str) and value.isprintable() and (_WEB.match(value) or not _SCHEME.match(value.lstrip())):
        return value
    expected = "an address that begins with `https://`, or the path of a page of this site"
    raise ValueError(f"the setting `{name}` of `acdl` cannot be {value!r}: expected {expected}")


def _read_playground(name: str, value: object) -> str:
    """Return the address of a playground; a word for no gives none."""
    if not isinstance(value, str) or value.lower() in _WORDS:
        if not read_bool(name, value):
            return ""
        cure = "write one with `acdl playground DIR`, and give its address: `https://example.org/playground/`"
        raise ValueError(f"the setting `{name}` of `acdl` cannot be {value!r}: nothing builds one here; {cure}")
    return _read_address(name, value)


def _level_word(level: object) -> object:
    """Return a level as written; YAML reads `off` as false."""
    return "off" if level is False else level


def read_bool(name: str, value: object) -> bool:
    """Return a boolean setting, also given as a word.

    Raises:
        ValueError: It is neither.
    """
    known = value if isinstance(value, bool) else _WORDS.get(value.lower()) if isinstance(value, str) else None
    if known is None:
        raise ValueError(f"the setting `{name}` of `acdl` cannot be {value!r}: expected `true` or `false`")
    return known
