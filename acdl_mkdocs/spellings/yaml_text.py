"""`yaml_text()`: JSON as YAML in the block layout that people write; every YAML reader reads the same value."""

import re

import yaml

from acdl_mkdocs.prompt import Json

_LINE_ENDS = re.compile("[\r\x85\u2028\u2029]")
"""What readers take for the end of a line where it is not escaped."""


class _Dumper(yaml.SafeDumper):
    """Writes what stands twice twice, and texts of several lines as blocks."""

    def ignore_aliases(self, data: object) -> bool:
        """Whether a value that was there before is written again."""
        del data
        return True


def _word(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    is_block = "\n" in text and not text[0].isspace()
    style = '"' if _LINE_ENDS.search(text) else "|" if is_block else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _word)


def yaml_text(value: Json, depth: int = 0) -> str:
    """Lines of YAML.

    Parameters:
        value: An object or a list.
        depth: How often two blanks stand before each line.
    """
    text = yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=2**31)
    text = text.removesuffix("...\n")  # the end of a document, said where the last text ends with empty lines
    pad = "  " * depth
    return "\n".join(f"{pad}{line}" if line else "" for line in text.split("\n")) if pad else text
