"""Exceptions for callers of the package. Problems of a *text* are never exceptions: they are diagnostics.

```text
AcdlError
├── SettingsError        a settings file contains an unknown setting or value
├── UnknownSpecError     the file does not define a spec of the requested name
├── UnknownFormatError   there is no output, report, theme or encoding of the requested name
├── MissingExtraError    a format needs packages that are not installed
├── BuildError           a value is not an ACDL statement, so it cannot be part of a spec
├── PathAsTextError      the path of a file was given as text where ACDL text is expected
├── EvaluationError      a spec has no messages at a point, for reasons that the message lists
├── PointError           a requested point in time is not valid
├── UnusableFontError    a file given as a font cannot be read as one
├── RevisionError        git does not have the requested revision of a file; the message says what to do
├── TraceError           a file of a recorded run cannot be read; problems of its content are data
├── RefineError          a spec cannot be refined by recordings; the message says what to fix
├── RecorderError        a run cannot be recorded or replayed; the message says what to do
├── RenameError          a name cannot be changed to another; the message says why and what to do
├── PlaygroundError      the playground cannot be built; the message says what to do
├── NoCacheError         no cache folder can be used; the message says why, and what to do
├── TooLargeError        a picture would have more pixels than programs can open
├── PlaybookDataError    plain data is not a playbook or part of one
├── ChangeError          a change does not fit the current playbook
├── PlaybookError        a playbook cannot be read, changed or written as requested; the message says what to do
│   ├── UnusablePlaybookError  its file has errors, which the exception lists
│   ├── UnwritablePlaybookError  a file cannot be written because of the disk or its permissions
│   └── DamagedHistoryError  the request needs a part of its history behind a damaged line
├── RefusedError         an operation of a delta cannot be applied; `curate` turns it into a line of its report
├── SegmentError        a path names no part of a prompt
├── ScorerError          a scorer failed, or gave something that is not a score
├── RunError             a learning run cannot start, continue or end; the message says what to do
└── ModelError           a model gave no usable answer: `playbook/learn/models/model.py` draws its kinds
FontWarning              a picture does not show some characters as they should look
```
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acdl_mkdocs.foundation.diagnostics import Diagnostic
    from acdl_mkdocs.foundation.source import Source


class AcdlError(Exception):
    """Base of every exception that this package raises on purpose."""


class SettingsError(AcdlError):
    """A settings file contains an unknown setting or value, or cannot be read."""


class UnknownSpecError(AcdlError):
    """The text does not define a spec of the requested name."""


class UnknownFormatError(AcdlError):
    """There is no output, report, theme or encoding of the requested name."""


class MissingExtraError(AcdlError):
    """A format needs packages that are not installed; the message says which command installs them."""


class BuildError(AcdlError):
    """A value is not an ACDL statement, so it cannot be part of a spec; the message says why."""


class PathAsTextError(AcdlError):
    """The path of a file was given as text; the message says how the file is read."""


class EvaluationError(AcdlError):
    """A spec has no messages at a point in time: it, or the state, has errors, which the message lists."""


class PointError(AcdlError):
    """A requested point in time is not valid; the message says what can be written."""


class UnusableFontError(AcdlError):
    """A file given as a font cannot be read or is not a font."""


class RevisionError(AcdlError):
    """A revision of a file cannot be read; the message says why and what to do."""


class TraceError(AcdlError):
    """A file of a recorded run, or its manifest, cannot be read."""


class RefineError(AcdlError):
    """A spec cannot be refined by recordings; the message says what to fix first."""


class RecorderError(AcdlError):
    """A run cannot be recorded or replayed, or one of its requests has no answer; the message says what to do."""


class RenameError(AcdlError):
    """A name cannot be renamed, or not to the requested name."""

    def __init__(self, message: str, cure: str) -> None:
        super().__init__(f"{message}; {cure}")
        self.message = message
        self.cure = cure


class PlaygroundError(AcdlError):
    """The playground cannot be built; the message says what to do."""


class NoCacheError(AcdlError):
    """No cache folder can be used; the message says why, and what to do."""


class TooLargeError(AcdlError):
    """A picture would have more pixels than programs can open."""


class PlaybookDataError(AcdlError):
    """Plain data is not a playbook or part of one."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path
        """The place in the data, such as `bullets[3].helpful`; empty for all of it."""
        self.message = message


class ChangeError(AcdlError):
    """A change does not fit the playbook that it should be made to: it is not as the change found or left it."""


class PlaybookError(AcdlError):
    """A playbook cannot be read, changed or written as requested."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(f"{message}; {help}" if help else message)
        self.message = message
        """What is wrong, without the suggestion."""
        self.help = help
        """A suggestion what to do instead; may be empty."""


class UnusablePlaybookError(PlaybookError):
    """The file of a playbook has errors; `problems` are diagnostics whose places are in `source`."""

    def __init__(self, message: str, problems: tuple["Diagnostic", ...], source: "Source") -> None:
        super().__init__(message)
        self.problems = problems
        self.source = source


class UnwritablePlaybookError(PlaybookError):
    """A file of a playbook cannot be written because of the disk or its permissions."""


class DamagedHistoryError(PlaybookError):
    """A history has a damaged line, and the request needs the whole history."""


class RefusedError(AcdlError):
    """An operation cannot be applied to the current playbook."""

    def __init__(self, field: str, message: str, help: str = "") -> None:
        super().__init__(message)
        self.field = field
        """The field of the operation that is the reason; empty for the whole operation."""
        self.message = message
        self.help = help
        """A suggestion what to do instead."""


class SegmentError(AcdlError):
    """A path or id names no part of a prompt, or the replacement is not allowed there."""


class ScorerError(AcdlError):
    """A scorer failed, or gave something that is not a score."""


class RunError(AcdlError):
    """A learning run cannot start, continue or end; the message says what to do."""


class FontWarning(UserWarning):
    """A picture does not show some characters as they should look: no font has them, or they would be joined."""
