"""Reads a PML document as one request."""

from typing import IO

from acdl_mkdocs.prompts.providers import WIRES
from acdl_mkdocs.prompts.redact import redacted_document
from acdl_mkdocs.traces.read_values import LIMITS
from acdl_mkdocs.traces.recorded import Found, Origin, Recorded, Skipped


def read(stream: IO[bytes], name: str) -> Found:
    """The request that a document is.

    Args:
        stream: The file, unpacked.
        name: What a person calls it.
    """
    origin = Origin(name)
    data = stream.read(LIMITS.value_bytes + 1)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        detail = f"byte {fault.start + 1} is not UTF-8"
        return Skipped(origin, "no text", detail, "save the file in UTF-8", is_damaged=True)
    read = redacted_document(WIRES["pml"].read(text))
    errors = [problem for problem in read.problems if not problem.is_advice]
    if errors and not read.prompt.messages:
        cure = f"run `acdl check {name}`"
        return Skipped(origin, "no PML document", f"{errors[0].path}: {errors[0].sentence}", cure, is_damaged=True)
    return Recorded(read.prompt, "pml", origin, problems=read.problems)
