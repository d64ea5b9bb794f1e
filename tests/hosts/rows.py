"""The rows of `rows.yaml`."""

from pathlib import Path
from typing import Any

import yaml

from hosts.sites import Row


def _row(entry: dict[str, Any]) -> Row:
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    for name in ("command", "before"):
        if name in given:
            words = given[name]
            given[name] = (
                tuple(words.split()) if isinstance(words, str) else tuple(tuple(each.split()) for each in words)
            )
    return Row(**given)


ROWS: tuple[Row, ...] = tuple(map(_row, yaml.safe_load(Path(__file__).with_name("rows.yaml").read_text("utf-8"))))
