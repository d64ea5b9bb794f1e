"""Any text as an editor asks about it, at any place: what stands there, what can follow, what can be done."""

import json

from acdl_mkdocs.frontends.playground.engine import METHODS, answer_json
from fuzz.target import Target, pairs, parts_of, text_of
from fuzz.words import acdl, state


def run(data: bytes) -> None:
    """Ask the engine everything that it can answer; a mistake of this package is none of the text."""
    text, state = parts_of(text_of(data), 2)
    at = len(data) * 7 % (len(text) + 1)
    params = {"text": text, "old": text, "new": text[:at], "state": state, "at": at, "from": at // 2, "to": at}
    for method in METHODS:
        asked = params | ({"at": "1", "provider": "openai"} if method == "evaluate" else {})
        asked |= {"format": "svg"} if method == "export" else {}
        found = json.loads(answer_json(method, json.dumps(asked)))
        said = found.get("error", {}).get("message", "")
        assert "this failed with" not in said, (method, said)
        json.dumps(found).encode()


TARGET = Target(
    run=run,
    promise="has answers to all that editors and the playground ask, at every place",
    seeds=lambda: pairs("tests/golden/evaluate/*.acdl", "examples/*.acdl", suffix=".state.yaml", most_bytes=800),
    words=(*acdl(), *state()),
    max_bytes=800,
    max_cpu_s=15,
)
