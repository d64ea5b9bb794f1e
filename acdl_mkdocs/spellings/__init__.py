"""One prompt in several spellings, and how many model tokens each takes, part by part.

`SPELLINGS` names them: requests of OpenAI as JSON and as YAML, PML, the convention for tools, Markdown. `compare()`
counts them for one prompt and says of each what it does not hold. Knows no files and prints nothing.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from acdl_mkdocs.prompt import Prompt
from acdl_mkdocs.spellings.laic import laic
from acdl_mkdocs.spellings.markdown import markdown
from acdl_mkdocs.spellings.pml import pml, pml_min
from acdl_mkdocs.spellings.requests import json, json_pretty, yaml
from acdl_mkdocs.spellings.spelled import Spelled

Spell: TypeAlias = Callable[[Prompt], Spelled]

BASE = "JSON"
"""What the others are compared with."""
SPELLINGS: Mapping[str, Spell] = {
    BASE: json,
    "JSON pretty": json_pretty,
    "YAML": yaml,
    "PML": pml_min,
    "PML pretty": pml,
    "LAIC": laic,
    "Markdown": markdown,
}
