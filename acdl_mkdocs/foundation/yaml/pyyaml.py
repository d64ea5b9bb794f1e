"""Data as PyYAML reads and writes it, in YAML 1.1: recordings of other programs, and requests as they would write them.

Files that people write for the tools are YAML 1.2: see `read`.
"""

import base64
import re
from datetime import date

import yaml

from acdl_mkdocs.foundation.json_value import Json

_MOST_VALUES = 5_000_000
"""Limit of values of a text; the value of an alias is counted at each alias."""


class NotYamlError(Exception):
    """A text is not YAML, or exceeds a limit; the message is a clause with the reason."""

    def __init__(self, message: str, line: int | None = None, *, is_cut_off: bool = False) -> None:
        super().__init__(message)
        self.line = line
        self.is_cut_off = is_cut_off
        """Whether its structure is broken, as in an incompletely written file."""


def load_yaml(text: str) -> Json:
    """Return the data of a text of YAML 1.1; binary data is an object with the key `base64`.

    Raises:
        NotYamlError: It cannot be read.
        RecursionError: It is nested too deep.
    """
    try:
        value = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  # both are safe
        return _YamlConverter().convert_value(value)
    except yaml.MarkedYAMLError as fault:
        line = fault.problem_mark.line + 1 if fault.problem_mark else None
        raise NotYamlError(fault.problem or "it cannot be read", line, is_cut_off=True) from None
    except (yaml.YAMLError, ValueError, OverflowError) as fault:
        raise NotYamlError(str(fault).partition("\n")[0]) from None


class _YamlConverter:
    """Converts YAML to JSON, up to a number of values."""

    def __init__(self) -> None:
        self.n_values = 0

    def convert_value(self, value: object) -> Json:
        """The data as JSON; binary data is an object with the key `base64`."""
        self.n_values += 1
        if self.n_values > _MOST_VALUES:
            raise ValueError(f"it has more than {_MOST_VALUES:,} values")
        match value:
            case None | bool() | int() | float() | str():
                return value
            case dict():
                return {str(key): self.convert_value(each) for key, each in value.items()}
            case list() | tuple() | set():
                return [self.convert_value(each) for each in value]
            case bytes():
                try:
                    return value.decode("utf-8")
                except UnicodeDecodeError:
                    return {"base64": base64.b64encode(value).decode()}
            case date():
                return value.isoformat()
            case _:
                return str(value)


_LINE_ENDS = re.compile("[\r\x85\u2028\u2029]")
"""Characters that readers take for line ends if they are not escaped."""


class _YamlDumper(yaml.SafeDumper):
    """Writes repeated values in full, and texts of several lines as blocks."""

    def ignore_aliases(self, data: object) -> bool:
        """Whether a value that was there before is written again."""
        del data
        return True


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    is_block = "\n" in text and not text[0].isspace()
    style = '"' if _LINE_ENDS.search(text) else "|" if is_block else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_YamlDumper.add_representer(str, _represent_text)


def dump_yaml(value: Json) -> str:
    """Write an object or a list as other programs do."""
    text = yaml.dump(value, Dumper=_YamlDumper, allow_unicode=True, sort_keys=False, width=2**31)
    return text.removesuffix("...\n")  # the end of a document, written if the last text ends with empty lines
