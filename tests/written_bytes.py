"""A program that says, as digests, what commands write about all examples: the same on every Python.

Prints JSON: for each command its exit code and the digest of what it wrote. Needs only what the package itself needs.
"""

import hashlib
import io
import json
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from acdl_mkdocs.drawing.formats import OUTPUTS
from acdl_mkdocs.evaluation.formats import TRANSCRIPTS
from acdl_mkdocs.frontends.cli.main import main

EXAMPLES = Path(__file__).parent.parent / "examples"


def commands() -> Iterator[list[str]]:
    """What is run in the folder of the examples."""
    for path in sorted(EXAMPLES.glob("*.acdl")):
        yield from (["render", "--format", name, "-o", "-", path.name] for name in OUTPUTS)
        yield from ([*words, path.name] for words in (["explain"], ["format", "--diff"], ["check", "--format", "json"]))
        if path.with_suffix(".state.yaml").exists():
            given = ["--state", path.with_suffix(".state.yaml").name, "--tokens", "none", path.name]
            yield from (["unroll", "--format", name, *given] for name in TRANSCRIPTS)
    for path in sorted((EXAMPLES / "pml").glob("*.xml")):
        yield from (["pml", "check", f"pml/{path.name}"], ["pml", "format", "--diff", f"pml/{path.name}"])
    for path in sorted((EXAMPLES / "playbook").glob("*.yaml")):
        yield ["playbook", "show", f"playbook/{path.name}"]


def written(words: list[str]) -> tuple[int, bytes]:
    """The exit code of a command and all that it writes, messages too."""
    data = io.BytesIO()
    with io.TextIOWrapper(data, "utf-8", newline="\n") as stream, redirect_stdout(stream), redirect_stderr(stream):
        code = main(words)
        stream.flush()
        return code, data.getvalue()


if __name__ == "__main__":
    found = {}
    for words in commands():
        code, data = written(words)
        found[" ".join(words)] = f"{code} {hashlib.sha256(data).hexdigest()}"
    sys.stdout.write(json.dumps(found, indent=1))
