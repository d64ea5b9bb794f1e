"""The targets: one module each, with `TARGET`, and one line here."""

from importlib import import_module

from fuzz.target import Target

TARGETS: tuple[str, ...] = (
    "parser",
    "formatter",
    "figure",
    "evaluator",
    "pml_reader",
    "laic_tail",
    "playbook_loader",
    "trace_readers",
    "fence_options",
    "page",
    "state_file",
    "history",
    "delta",
    "exchange",
    "convert",
    "diff",
    "drawing",
    "editor",
    "recorder",
)
"""Names of the modules, in the order in which they are fuzzed."""


def target(name: str) -> Target:
    """The target of a name; its module is imported then, since it imports what it tests."""
    found: Target = import_module(f"fuzz.targets.{name}").TARGET
    return found
