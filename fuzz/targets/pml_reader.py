"""Any text as a PML document, strictly and leniently, and written again."""

from acdl_mkdocs.prompts.pml.read import DocumentKind, ReadPml, read
from acdl_mkdocs.prompts.pml.write import write
from acdl_mkdocs.prompts.prompt import Prompt
from fuzz.target import Target, files, text_of
from fuzz.words import pml


def run(data: bytes) -> None:
    """Read it as bytes and as text; write what it says and read that."""
    for given in (data, text_of(data)):
        strict, lenient = read(given), read(given, is_lenient=True, is_edge_kept=False)
        for found in (strict, lenient):
            _check(found)
        if strict.prompt is not None and not strict.has_errors:
            _round_trip(strict.prompt, strict.kind)
            assert strict.repairs == ()


def _check(found: ReadPml) -> None:
    assert found.prompt is not None or found.problems
    n_characters = max(len(found.source.text), 1)
    spans = [*(each.label.span for each in found.problems), *(each.span for each in found.repairs)]
    for span in (*spans, *found.places.values()):
        assert 0 <= span.start <= span.end <= n_characters
        found.source.find_place(span.start)
    assert all(each.message for each in found.problems)


def _round_trip(prompt: Prompt, kind: DocumentKind) -> None:
    """A prompt that was read is written so that the same is read."""
    for text in (write(prompt, "pretty", kind), write(prompt, "min", kind)):
        again = read(text)
        assert again.prompt == prompt, [each.message for each in again.problems]
    assert again.prompt is not None
    assert write(again.prompt, "min", kind) == text


def _seeds() -> list[bytes]:
    return files("examples/pml/*.xml", "tests/pml/**/*.xml", most_bytes=3000)


TARGET = Target(
    run=run,
    promise="is a prompt or has problems with a place; what is read and written again is the same prompt",
    seeds=_seeds,
    words=pml(),
    max_bytes=3000,
)
