"""Exceptions for callers of the package. Problems of a *text* are never exceptions: they are diagnostics.

```text
AcdlError
├── SettingsError        a settings file says something that does not exist
├── UnknownSpecError     a spec was asked for by a name that the file does not define
├── UnknownFormatError   an output, report, theme or encoding was asked for by a name that does not exist
├── MissingExtraError    a format needs packages that are not installed
├── PointError           a point in time was asked for in a way that means none
├── UnusableFontError    a file that was named as a font is none
└── TooLargeError        a picture would have more pixels than programs can open
FontWarning              a picture does not show some characters as they should look
```
"""


class AcdlError(Exception):
    """Base of every exception that this package raises on purpose."""


class SettingsError(AcdlError):
    """A settings file says something that does not exist, or cannot be read."""


class UnknownSpecError(AcdlError):
    """A spec was asked for by a name that the text does not define."""


class UnknownFormatError(AcdlError):
    """An output, report, theme or encoding was asked for by a name that does not exist."""


class MissingExtraError(AcdlError):
    """A format needs packages that are not installed; the message says which command installs them."""


class PointError(AcdlError):
    """A point in time was asked for in a way that means none; the message says what can be written."""


class UnusableFontError(AcdlError):
    """A file that was named as a font cannot be read or is none."""


class TooLargeError(AcdlError):
    """A picture would have more pixels than programs can open."""


class FontWarning(UserWarning):
    """A picture does not show some characters as they should look: no font has them, or they would be joined."""
