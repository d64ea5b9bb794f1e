"""The value `acdl` of `conf.py`: the settings of every docs tool, and those of Sphinx only.

Knows nothing of directives or pages.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

from acdl_mkdocs.foundation.diagnostics import Severity
from acdl_mkdocs.foundation.errors import SettingsError
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.docs.settings import SETTINGS, Settings, project_settings, read_bool, set_setting

_log = logging.getLogger(__name__)

_LINE = re.compile(r"(?P<place>.*?:\d+:\d+): (?:error|warning|note)\[(?P<rule>[\w-]+)\]: (?P<message>.*)", re.DOTALL)
_BROKEN_REFERENCES = frozenset({"unknown-fragment"})
"""Notes in a block, since another page may define the target; a project has no other pages."""


def report_problem(severity: Severity, rule: str, message: str, location: str | nodes.Node) -> None:
    """Log one problem. Errors and warnings make `sphinx-build -W` fail; notes are shown by `-v`."""
    if severity == "note":
        _log.verbose("%s: %s [acdl.%s]", location, message, rule)
    else:
        log = _log.error if severity == "error" else _log.warning
        log("%s", message, location=location, type="acdl", subtype=rule)


def report_to_sphinx(docname: str, folder: Path, reported: set[str]) -> Callable[[Severity, str], None]:
    """Report the lines that blocks give to a build log.

    Parameters:
        docname: The page that shows the blocks.
        folder: The project's folder, from which the names of files are paths.
        reported: Lines that were reported in this build, updated here; builders of books draw a page more than once.
    """

    def report(severity: Severity, line: str) -> None:
        if line in reported:
            return
        reported.add(line)
        match = _LINE.fullmatch(line)
        if match is None:
            report_problem(severity, "many-problems", line, docname)
            return
        is_broken = severity == "note" and match["rule"] in _BROKEN_REFERENCES
        report_problem(
            "warning" if is_broken else severity, match["rule"], match["message"], str(folder / match["place"])
        )

    return report


VALUE = "acdl"
"""The name of the value in `conf.py`."""
PROJECT = "acdl_project"
"""The settings in `acdl.toml` or `pyproject.toml`, as a value: Sphinx reads all pages again when it changes."""
PLAYGROUND = "playground"
"""The setting, and the folder of the site that has the playground if the setting is true."""
_SCRIPT = "script"
_NAMES = (*SETTINGS, _SCRIPT)


def check_settings(app: Sphinx, config: Config) -> None:
    """Report settings that do not exist or do not fit; blocks are drawn without them."""
    file = Path(app.confdir) / "conf.py"
    for name, message in _list_problems(config[VALUE]):
        report_problem("error", "bad-setting", message, f"{file}:{_line_of(name, file)}")
    try:
        config[PROJECT] = project_settings(project_folder(app))
    except SettingsError as reason:
        report_problem("error", "bad-setting", str(reason), f"{file}:1")


def settings_of(config: Config) -> Settings:
    """Return the settings for blocks: those of the project's file, overridden by the valid ones of `conf.py`."""
    settings: Settings = config[PROJECT]
    for name, value in _settings_given(config).items():
        try:
            settings = settings if name == _SCRIPT else _with_setting(settings, name, value)
        except ValueError:
            continue  # reported when the configuration was read
    return settings


def has_script(config: Config) -> bool:
    """Return whether pages load `acdl.js`."""
    try:
        return read_bool(_SCRIPT, _settings_given(config).get(_SCRIPT, True))
    except ValueError:
        return True


def has_playground(config: Config) -> bool:
    """Return whether the site gets its own playground."""
    return _settings_given(config).get(PLAYGROUND) is True


def _with_setting(settings: Settings, name: str, value: object) -> Settings:
    """Return settings with one more."""
    return set_setting(settings, name, f"{PLAYGROUND}/index.html" if name == PLAYGROUND and value is True else value)


def _settings_given(config: Config) -> Mapping[str, object]:
    value = config[VALUE]
    return value if isinstance(value, Mapping) else {}


def _list_problems(settings: object) -> Iterator[tuple[str, str]]:
    """Yield the name of each wrong setting, and the problem."""
    if not isinstance(settings, Mapping):
        yield VALUE, f'`{VALUE}` is not a mapping: expected {VALUE} = {{"show": "figure"}}'
        return
    for name, value in settings.items():
        try:
            if name == _SCRIPT:
                read_bool(name, value)
            elif name in SETTINGS:
                _with_setting(Settings(), name, value)
            else:
                near = find_closest(str(name), _NAMES)
                hint = f"did you mean `{near}`?" if near else f"the settings are {', '.join(_NAMES)}"
                yield str(name), f"`{VALUE}` has no setting `{name}`; {hint}"
        except ValueError as reason:
            yield str(name), str(reason)


def _line_of(name: str, file: Path) -> int:
    """Return the line of `conf.py` that sets a setting; the first if it is set elsewhere."""
    try:
        lines = file.read_text("utf-8").split("\n")
    except (OSError, ValueError):
        return 1
    pattern = re.compile(rf"""["']{re.escape(name)}["']\s*:|\b{re.escape(name)}\s*=""")
    return next((number for number, line in enumerate(lines, 1) if pattern.search(line)), 1)


def project_folder(app: Sphinx) -> Path:
    """Return the folder that `src` is relative to: that of `conf.py`, or `root` from there."""
    return (Path(app.confdir) / (settings_of(app.config).root or "")).resolve()
