"""Any request, list of tools or PML document, converted to every format."""

import json

from acdl_mkdocs.prompts.convert import convert
from acdl_mkdocs.prompts.providers import PROVIDERS, WIRES
from fuzz.target import Target, files, text_of
from fuzz.words import pml, trace


def run(data: bytes) -> None:
    """Convert it, strictly and leniently, and what came out to the same format again."""
    for given in (data, text_of(data)):
        for to in WIRES:
            for is_lenient in (False, True):
                found = convert(given, to, is_lenient=is_lenient, has_triggers=is_lenient)
                assert all(each.sentence for each in found.changes)
                assert found.text is not None or found.changes
                if found.text is None:
                    continue
                if to in PROVIDERS:
                    json.loads(found.text)
                if found.is_lossless:
                    again = convert(found.text, to, from_=to)
                    assert again.text == found.text, again.changes


def _seeds() -> list[bytes]:
    return files("tests/wire/data/*.json", "examples/pml/*", "tests/pml/seed_blocks/*.xml", most_bytes=1500)


TARGET = Target(
    run=run,
    promise="is converted to every format, or is told why not; what is written without loss can be read",
    seeds=_seeds,
    words=(*pml(), *trace()),
    max_bytes=1500,
    max_cpu_s=8,
)
