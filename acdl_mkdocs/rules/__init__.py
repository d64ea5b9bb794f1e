"""One file a rule. A rule looks at a resolved text and yields what it finds; it never raises and changes nothing."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.rules.arm_after_else import arm_after_else
from acdl_mkdocs.rules.duplicate_definition import duplicate_definition
from acdl_mkdocs.rules.fragment_argument_count import fragment_argument_count
from acdl_mkdocs.rules.nested_role import nested_role
from acdl_mkdocs.rules.recursive_fragment import recursive_fragment
from acdl_mkdocs.rules.several_names import several_names
from acdl_mkdocs.rules.snippet_in_file import snippet_in_file
from acdl_mkdocs.rules.undefined_name import undefined_name
from acdl_mkdocs.rules.unknown_block import unknown_block
from acdl_mkdocs.rules.unknown_fragment import unknown_fragment
from acdl_mkdocs.rules.unquoted_text import unquoted_text

Rule: TypeAlias = Callable[[Resolved, Config], Iterator[Diagnostic]]

RULES: dict[str, Rule] = {
    "arm-after-else": arm_after_else,
    "duplicate-definition": duplicate_definition,
    "fragment-argument-count": fragment_argument_count,
    "nested-role": nested_role,
    "recursive-fragment": recursive_fragment,
    "several-names": several_names,
    "snippet-in-file": snippet_in_file,
    "undefined-name": undefined_name,
    "unknown-block": unknown_block,
    "unknown-fragment": unknown_fragment,
    "unquoted-text": unquoted_text,
}


def check(resolved: Resolved, config: Config) -> tuple[Diagnostic, ...]:
    """Everything that the rules find, rule by rule; never raises."""
    if any(found.rule == "not-acdl" for found in resolved.parsed.diagnostics):
        return ()
    return tuple(found for rule in RULES.values() for found in rule(resolved, config))
