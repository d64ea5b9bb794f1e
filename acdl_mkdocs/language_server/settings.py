"""What a person can set for the language server, in the section `acdl` of an editor's settings.

How texts are read and checked is better kept in `acdl.toml` or `pyproject.toml`, where `acdl check` finds it too.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from acdl_mkdocs.foundation.compile_later import compile_later
from acdl_mkdocs.foundation.config import RangeMode
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.wording import closest


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting."""

    name: str
    """Without the section."""
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
        "How `range(a, b)` is read: as the project's `acdl.toml` or `pyproject.toml` says, or always one way.",
        ("project", "half-open", "inclusive"),
    ),
    Setting(
        "diagnostics",
        "string",
        "workspace",
        "Whose problems are shown: those of all files of the workspace, those of open files, or none.",
        ("workspace", "open", "off"),
    ),
    Setting("codeLens", "boolean", True, "Whether lines above specs and fragments say how often they are used."),
    Setting("inlayHints", "boolean", True, "Whether ends of ranges and names of arguments are shown in the text."),
    Setting(
        "maxFiles", "number", 5000, "So many files of the workspace are read; the others only when they are opened."
    ),
    Setting(
        "ruleUrl", "string", "", "Address of the page that explains a rule, with `{rule}` in the place of its name."
    ),
)
"""All settings, in the order in which they are documented."""
_WEB = compile_later(r"https?://[!-~]+\Z", re.IGNORECASE)
_OF_CLIENTS = ("server", "trace", "preview", "markdownPreview")
"""What extensions of editors have in the same section for themselves."""


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """What is set."""

    range: RangeMode | None = None
    """How ranges are read, whatever a project says; `None` if it is the project's business."""
    diagnostics: Literal["workspace", "open", "off"] = "workspace"
    has_lenses: bool = True
    has_hints: bool = True
    max_files: int = 5000
    rule_url: str = ""


def read_settings(value: object) -> tuple[EditorSettings, tuple[str, ...]]:
    """Settings as an editor gives them, and what is wrong with them; what is wrong keeps its default.

    Parameters:
        value: The section as a mapping, in whole or within one of the name `acdl`; anything else has no settings.
    """
    given = value.get("acdl", value) if isinstance(value, Mapping) else {}
    given = given if isinstance(given, Mapping) else {}
    known = {each.name: each for each in SETTINGS}
    taken = {name: each.default for name, each in known.items()}
    problems: list[str] = []
    for name, wanted in given.items():
        if wanted is None or name in _OF_CLIENTS:
            continue
        if name not in known:
            near = closest(str(name), known)
            hint = f"did you mean `acdl.{near}`?" if near else f"there are {', '.join(known)}"
            problems.append(f"there is no setting `acdl.{name}`; {hint}")
        elif reason := _refused(known[name], wanted):
            problems.append(f"`acdl.{name}` {reason}")
        else:
            taken[name] = wanted
    return _settings(taken), tuple(problems)


def _refused(setting: Setting, value: object) -> str:
    """Why a setting cannot have a value; empty if it can."""
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


def _settings(values: Mapping[str, object]) -> EditorSettings:
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
