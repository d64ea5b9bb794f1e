"""One file a rule. A rule looks at a resolved text and yields what it finds; it never raises and changes nothing."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.rules.ambiguous_fragment import ambiguous_fragment
from acdl_mkdocs.language.rules.arm_after_else import arm_after_else
from acdl_mkdocs.language.rules.backwards_range import backwards_range
from acdl_mkdocs.language.rules.bare_time_variable import bare_time_variable
from acdl_mkdocs.language.rules.break_outside_loop import break_outside_loop
from acdl_mkdocs.language.rules.case_after_default import case_after_default
from acdl_mkdocs.language.rules.completion_mixed_with_chat import completion_mixed_with_chat
from acdl_mkdocs.language.rules.condition_is_outcome import condition_is_outcome
from acdl_mkdocs.language.rules.content_outside_role import content_outside_role
from acdl_mkdocs.language.rules.control_flow_in_one_line_role import control_flow_in_one_line_role
from acdl_mkdocs.language.rules.digit_first_name import digit_first_name
from acdl_mkdocs.language.rules.duplicate_case import duplicate_case
from acdl_mkdocs.language.rules.duplicate_definition import duplicate_definition
from acdl_mkdocs.language.rules.duplicate_mark_number import duplicate_mark_number
from acdl_mkdocs.language.rules.empty_body import empty_body
from acdl_mkdocs.language.rules.end_when import end_when
from acdl_mkdocs.language.rules.fixed_time_header import fixed_time_header
from acdl_mkdocs.language.rules.fragment_argument_count import fragment_argument_count
from acdl_mkdocs.language.rules.fragment_in_prompt import fragment_in_prompt
from acdl_mkdocs.language.rules.future_time_index import future_time_index
from acdl_mkdocs.language.rules.implicit_namespace import implicit_namespace
from acdl_mkdocs.language.rules.impossible_calculation import impossible_calculation
from acdl_mkdocs.language.rules.label_block import label_block
from acdl_mkdocs.language.rules.literal_content import literal_content
from acdl_mkdocs.language.rules.loop_over_one_value import loop_over_one_value
from acdl_mkdocs.language.rules.malformed_range import malformed_range
from acdl_mkdocs.language.rules.misplaced_message_number import misplaced_message_number
from acdl_mkdocs.language.rules.missing_frag import missing_frag
from acdl_mkdocs.language.rules.misspelled_header import misspelled_header
from acdl_mkdocs.language.rules.name_before_definition import name_before_definition
from acdl_mkdocs.language.rules.name_out_of_scope import name_out_of_scope
from acdl_mkdocs.language.rules.nested_role import nested_role
from acdl_mkdocs.language.rules.not_content import not_content
from acdl_mkdocs.language.rules.operator_between_contents import operator_between_contents
from acdl_mkdocs.language.rules.plus_between_contents import plus_between_contents
from acdl_mkdocs.language.rules.prompt_as_block import prompt_as_block
from acdl_mkdocs.language.rules.range_excludes_current import range_excludes_current
from acdl_mkdocs.language.rules.range_excludes_last import range_excludes_last
from acdl_mkdocs.language.rules.recursive_fragment import recursive_fragment
from acdl_mkdocs.language.rules.repeated_completion import repeated_completion
from acdl_mkdocs.language.rules.resp_before_answer import resp_before_answer
from acdl_mkdocs.language.rules.role_fragment_inside_role import role_fragment_inside_role
from acdl_mkdocs.language.rules.role_in_string_fragment import role_in_string_fragment
from acdl_mkdocs.language.rules.section_block import section_block
from acdl_mkdocs.language.rules.several_names import several_names
from acdl_mkdocs.language.rules.shadowed_name import shadowed_name
from acdl_mkdocs.language.rules.skipped_block import skipped_block
from acdl_mkdocs.language.rules.snippet_in_file import snippet_in_file
from acdl_mkdocs.language.rules.statement_beside_completion import statement_beside_completion
from acdl_mkdocs.language.rules.string_fragment_outside_role import string_fragment_outside_role
from acdl_mkdocs.language.rules.template_case import template_case
from acdl_mkdocs.language.rules.text_after_prompt_end import text_after_prompt_end
from acdl_mkdocs.language.rules.time_without_turn import time_without_turn
from acdl_mkdocs.language.rules.unbound_index import unbound_index
from acdl_mkdocs.language.rules.undefined_name import undefined_name
from acdl_mkdocs.language.rules.undocumented_spelling import undocumented_spelling
from acdl_mkdocs.language.rules.unknown_block import unknown_block
from acdl_mkdocs.language.rules.unknown_fragment import unknown_fragment
from acdl_mkdocs.language.rules.unknown_namespace import unknown_namespace
from acdl_mkdocs.language.rules.unknown_pragma import unknown_pragma
from acdl_mkdocs.language.rules.unquoted_text import unquoted_text
from acdl_mkdocs.language.rules.unreachable_case import unreachable_case
from acdl_mkdocs.language.rules.unread_include import unread_include
from acdl_mkdocs.language.rules.unused_fragment import unused_fragment
from acdl_mkdocs.language.rules.unused_name import unused_name
from acdl_mkdocs.language.rules.zero_step import zero_step
from acdl_mkdocs.language.rules.zero_time_index import zero_time_index
from acdl_mkdocs.language.syntax.pragmas import find_allowances

Rule: TypeAlias = Callable[[Resolved, Config], Iterator[Diagnostic]]

RULES: dict[str, Rule] = {
    "ambiguous-fragment": ambiguous_fragment,
    "arm-after-else": arm_after_else,
    "backwards-range": backwards_range,
    "bare-time-variable": bare_time_variable,
    "break-outside-loop": break_outside_loop,
    "case-after-default": case_after_default,
    "completion-mixed-with-chat": completion_mixed_with_chat,
    "condition-is-outcome": condition_is_outcome,
    "content-outside-role": content_outside_role,
    "control-flow-in-one-line-role": control_flow_in_one_line_role,
    "digit-first-name": digit_first_name,
    "duplicate-case": duplicate_case,
    "duplicate-definition": duplicate_definition,
    "duplicate-mark-number": duplicate_mark_number,
    "empty-body": empty_body,
    "end-when": end_when,
    "fixed-time-header": fixed_time_header,
    "fragment-argument-count": fragment_argument_count,
    "fragment-in-prompt": fragment_in_prompt,
    "future-time-index": future_time_index,
    "implicit-namespace": implicit_namespace,
    "impossible-calculation": impossible_calculation,
    "label-block": label_block,
    "literal-content": literal_content,
    "loop-over-one-value": loop_over_one_value,
    "malformed-range": malformed_range,
    "misplaced-message-number": misplaced_message_number,
    "missing-frag": missing_frag,
    "misspelled-header": misspelled_header,
    "name-before-definition": name_before_definition,
    "name-out-of-scope": name_out_of_scope,
    "nested-role": nested_role,
    "not-content": not_content,
    "operator-between-contents": operator_between_contents,
    "plus-between-contents": plus_between_contents,
    "prompt-as-block": prompt_as_block,
    "range-excludes-current": range_excludes_current,
    "range-excludes-last": range_excludes_last,
    "recursive-fragment": recursive_fragment,
    "repeated-completion": repeated_completion,
    "resp-before-answer": resp_before_answer,
    "role-fragment-inside-role": role_fragment_inside_role,
    "role-in-string-fragment": role_in_string_fragment,
    "section-block": section_block,
    "several-names": several_names,
    "shadowed-name": shadowed_name,
    "skipped-block": skipped_block,
    "snippet-in-file": snippet_in_file,
    "statement-beside-completion": statement_beside_completion,
    "string-fragment-outside-role": string_fragment_outside_role,
    "template-case": template_case,
    "text-after-prompt-end": text_after_prompt_end,
    "time-without-turn": time_without_turn,
    "unbound-index": unbound_index,
    "undefined-name": undefined_name,
    "undocumented-spelling": undocumented_spelling,
    "unknown-block": unknown_block,
    "unknown-fragment": unknown_fragment,
    "unknown-namespace": unknown_namespace,
    "unknown-pragma": unknown_pragma,
    "unquoted-text": unquoted_text,
    "unreachable-case": unreachable_case,
    "unread-include": unread_include,
    "unused-fragment": unused_fragment,
    "unused-name": unused_name,
    "zero-step": zero_step,
    "zero-time-index": zero_time_index,
}


def check(resolved: Resolved, config: Config) -> tuple[Diagnostic, ...]:
    """Run all rules and return their findings, rule by rule; never raises."""
    if any(each.rule in ("not-acdl", "drawn-form") for each in resolved.parsed.diagnostics):
        return ()
    diagnostics = [each for rule in RULES.values() for each in rule(resolved, config)]
    return tuple(_apply_settings(diagnostics, resolved, config)) if diagnostics else ()


def _apply_settings(diagnostics: list[Diagnostic], resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Drop findings that settings or `// acdl: allow(...)` silence, and apply the severities of the settings."""
    allowed = find_allowances(resolved.parsed.file, resolved.source)
    for each in diagnostics:
        level = config.levels.get(each.rule, each.severity)
        line = resolved.source.line_index(each.label.span.start)
        if level != "off" and each.rule not in allowed.everywhere and each.rule not in allowed.lines.get(line, ()):
            yield each if level == each.severity else replace(each, severity=level)


def read_documentation(name: str) -> tuple[str, str]:
    """Return the docstrings of a rule's module and function, read from the source where `python -OO` dropped them."""
    import inspect
    import sys

    rule = RULES[name]
    module = sys.modules[rule.__module__]
    texts = module.__doc__, rule.__doc__
    if texts[0] is None or texts[1] is None:
        import ast

        tree = ast.parse(inspect.getsource(module))
        (function,) = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == rule.__name__]
        texts = ast.get_docstring(tree), ast.get_docstring(function)
    return inspect.cleandoc(texts[0] or ""), inspect.cleandoc(texts[1] or "")
