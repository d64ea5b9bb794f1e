"""Cures that depend on how a text is read: by a command, in a page, leniently already."""

from dataclasses import replace

from acdl_mkdocs.foundation.diagnostics import Diagnostic

READ_LENIENTLY = ", or read the text with `--lenient`"
"""How the cure ends of what lenient reading would mend."""
OF_COMMAND = "; `acdl pml format --lenient FILE` does that"
"""How a cure ends that a command applies to a file."""


def with_lenient_cure(problem: Diagnostic, cure: str) -> Diagnostic:
    """A problem whose help says otherwise how the text is read leniently: not at all where it is read so already."""
    return replace(problem, help=tuple(each.replace(READ_LENIENTLY, cure) for each in problem.help))


def in_page(problem: Diagnostic, *, is_lenient: bool) -> Diagnostic:
    """A problem with the cures of a block of a page, where lenient reading is an option.

    Parameters:
        problem: As it is told of a document.
        is_lenient: Whether the block is read so already.
    """
    problem = with_lenient_cure(problem, "" if is_lenient else ", or add `lenient=on`")
    return replace(problem, help=tuple(each.removesuffix(OF_COMMAND) for each in problem.help))
