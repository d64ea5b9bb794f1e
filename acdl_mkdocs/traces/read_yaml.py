"""`yaml_values()`: the value of a YAML file that another program wrote, in place of JSON. Reads PyYAML's YAML 1.1."""

import base64
from collections.abc import Iterator
from datetime import date
from typing import IO

from acdl_mkdocs.prompts.prompt import Json
from acdl_mkdocs.prompts.redact import redacted_as_said
from acdl_mkdocs.traces.read_values import Limits, Value, too_large
from acdl_mkdocs.traces.recorded import Origin, Skipped

LIMITS = Limits(64_000_000)
"""Of one file, which is read at once."""
_MOST_VALUES = 5_000_000
"""Values of a file, those that aliases stand for counted at each alias."""


def yaml_values(stream: IO[bytes], name: str, limits: Limits = LIMITS) -> Iterator[Value | Skipped]:
    """The value of a file.

    Args:
        stream: The file, unpacked.
        name: What a person calls it.
        limits: The most that is read.
    """
    import yaml  # only a cassette is worth its import

    origin = Origin(name)
    data = stream.read(limits.value_bytes + 1)
    if len(data) > limits.value_bytes:
        yield too_large(origin, "a YAML file", limits.value_bytes, "split it, or write it as JSON")
        return
    try:
        text = data.decode("utf-8-sig")
        value = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  # both are safe
        yield Value(redacted_as_said(_Plain().value(value), text), origin)
    except UnicodeDecodeError as fault:
        detail = f"byte {fault.start + 1} is not UTF-8"
        yield Skipped(origin, "no text", detail, "save the file in UTF-8", is_damaged=True)
    except yaml.MarkedYAMLError as fault:
        line = fault.problem_mark.line + 1 if fault.problem_mark else None
        detail = fault.problem or "it cannot be read"
        cure = "record it again, or remove the part that was cut off"
        yield Skipped(Origin(name, line), "no YAML", detail, cure, is_damaged=True)
    except (yaml.YAMLError, ValueError, OverflowError) as fault:
        detail = str(fault).partition("\n")[0]
        yield Skipped(origin, "no YAML", detail, "record it again", is_damaged=True)
    except RecursionError:
        yield Skipped(origin, "YAML that is nested too deeply", cure="record it with fewer levels", is_damaged=True)


class _Plain:
    """Makes JSON of what YAML can say, up to a number of values."""

    def __init__(self) -> None:
        self.n_values = 0

    def value(self, given: object) -> Json:
        """The same as JSON; bytes that are no text are an object with the key `base64`."""
        self.n_values += 1
        if self.n_values > _MOST_VALUES:
            raise ValueError(f"it has more than {_MOST_VALUES:,} values")
        match given:
            case None | bool() | int() | float() | str():
                return given
            case dict():
                return {str(key): self.value(each) for key, each in given.items()}
            case list() | tuple() | set():
                return [self.value(each) for each in given]
            case bytes():
                try:
                    return given.decode("utf-8")
                except UnicodeDecodeError:
                    return {"base64": base64.b64encode(given).decode()}
            case date():
                return given.isoformat()
            case _:
                return str(given)
