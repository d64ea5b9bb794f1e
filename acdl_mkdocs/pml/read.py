"""`read()`: a PML document as a prompt, with everything that is wrong with it; never raises.

Nothing is fetched, and text is never looked through for calls: a call is an element of an answer, nothing else.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from itertools import islice
from typing import Literal, TypeAlias, cast

from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.foundation.frozen import dataclass
from acdl_mkdocs.foundation.source import Source, Span
from acdl_mkdocs.foundation.system import paused
from acdl_mkdocs.pml.checks import check
from acdl_mkdocs.pml.contents import Contents, Places
from acdl_mkdocs.pml.cures import with_lenient_cure
from acdl_mkdocs.pml.grammar import ROOTS
from acdl_mkdocs.pml.limits import LIMITS, Limits
from acdl_mkdocs.pml.problems import Repair
from acdl_mkdocs.pml.repair import repaired
from acdl_mkdocs.pml.repair_turns import TooManyRepairsError
from acdl_mkdocs.pml.tree import Tree, read_tree
from acdl_mkdocs.pml.validate import MOST_PROBLEMS, validate
from acdl_mkdocs.pml.xml_problems import too_large
from acdl_mkdocs.prompt import Prompt

DocumentKind: TypeAlias = Literal["prompt", "conversation", "memory", "tools"]


@dataclass(frozen=True, slots=True)
class ReadPml:
    """What a document says."""

    prompt: Prompt | None
    """`None` where the text is no XML, is over a limit, or is not as the grammar says."""
    kind: DocumentKind
    """The root of the document; `prompt` where it cannot be told."""
    source: Source
    places: Mapping[str, Span] = field(default_factory=dict)
    """Where parts of the prompt are said, by paths such as `messages[2].parts[0]`, `tools[1]`, `memory[0]`."""
    problems: tuple[Diagnostic, ...] = ()
    """In the order of their places; at most a hundred."""
    repairs: tuple[Repair, ...] = ()
    """What was read as if it were written otherwise; none but in lenient reading."""

    @property
    def has_errors(self) -> bool:
        """Whether something is wrong, even if there is a prompt."""
        return any(problem.severity == "error" for problem in self.problems)


def read(
    text: str | bytes,
    *,
    is_lenient: bool = False,
    is_edge_kept: bool = True,
    name: str = "<pml>",
    limits: Limits = LIMITS,
) -> ReadPml:
    """The prompt that a document says.

    Parameters:
        text: Text, or bytes in UTF-8.
        is_lenient: Whether to repair what has one meaning, and to report it, instead of refusing it.
        is_edge_kept: Whether a newline at the beginning and at the end of a text is part of it. Documents that people
            indent often mean it as none.
        name: What a person calls the file.
        limits: The most that the document may have.
    """
    with paused():
        found = _read(text, name, limits, is_lenient=is_lenient, is_edge_kept=is_edge_kept)
    if not (is_lenient and found.problems):
        return found
    return replace(found, problems=tuple(with_lenient_cure(each, "") for each in found.problems))


def _read(text: str | bytes, name: str, limits: Limits, *, is_lenient: bool, is_edge_kept: bool) -> ReadPml:
    tree = _tree(text, name, limits, is_lenient=is_lenient)
    root, repairs = tree.root, tree.repairs
    if root is None:
        return ReadPml(None, "prompt", tree.source, problems=tree.problems, repairs=repairs)
    faults = validate(root, tree.source.text)
    if faults and is_lenient:
        try:
            root, more = repaired(root, tree.source.text, limits)
        except TooManyRepairsError as error:
            problem = too_large(error.span, f"{limits.repairs:,} things to repair")
            return ReadPml(None, "prompt", tree.source, problems=(problem,), repairs=repairs)
        repairs = (*repairs, *more)
        faults = validate(root, tree.source.text)
    kind = cast(DocumentKind, root.name) if root.name in ("conversation", "memory", "tools") else "prompt"
    if faults:
        return ReadPml(None, kind, tree.source, problems=_sorted([*tree.problems, *faults]), repairs=repairs)
    contents = Contents(is_edge_kept=is_edge_kept)
    prompt = contents.prompt(root)
    checked = islice(check(root, tree.source.text), MOST_PROBLEMS)
    problems = _sorted([*tree.problems, *contents.problems, *checked])[:MOST_PROBLEMS]
    return ReadPml(prompt, kind, tree.source, Places(contents.places, root.offsets), problems, repairs)


def _sorted(problems: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(problems, key=lambda each: each.label.span.start))


def _tree(text: str | bytes, name: str, limits: Limits, *, is_lenient: bool) -> Tree:
    """The elements of a text; in lenient reading, several roots are put into a `<prompt>`."""
    tree = read_tree(text, name, limits, is_lenient=is_lenient)
    if not (is_lenient and tree.is_loose):
        return tree
    wrapped = read_tree(text, name, limits, is_lenient=True, is_wrapped=True)
    if wrapped.root is None:
        return wrapped
    if not wrapped.root.elements:
        return tree
    first, *_ = wrapped.root.elements
    if not any(each.name in ROOTS for each in wrapped.root.elements):
        return wrapped  # that they are a conversation of their own is told
    sentence = "what stands before and behind the first element is read as if all were in one `<prompt>`"
    repair = Repair(Span(first.span.start, first.span.start + 1), sentence)
    return replace(wrapped, repairs=(repair, *wrapped.repairs))
