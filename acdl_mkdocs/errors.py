"""Exceptions for callers of the package. Problems of a *text* are never exceptions: they are diagnostics.

```text
AcdlError
├── SettingsError        a settings file says something that does not exist
├── UnknownSpecError     a spec was asked for by a name that the file does not define
└── UnknownFormatError   an output, report or theme was asked for by a name that does not exist
```
"""


class AcdlError(Exception):
    """Base of every exception that this package raises on purpose."""


class SettingsError(AcdlError):
    """A settings file says something that does not exist, or cannot be read."""


class UnknownSpecError(AcdlError):
    """A spec was asked for by a name that the text does not define."""


class UnknownFormatError(AcdlError):
    """An output, report or theme was asked for by a name that does not exist."""
