"""Which modules are the core, and which tests have to notice a change of them.

They are the tests of the subject alone: what only a site or a browser shows is found late, and hard to explain. None
needs a browser, a site or another process; those of one subject take at most two minutes, the quick ones first.
"""

from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "acdl_mkdocs"

SUBJECTS = {
    "foundation/diagnostics.py": (
        *("test_allow.py", "test_reports.py", "test_report_fixes.py", "test_fixes.py", "test_report_formats.py"),
    ),
    "foundation/source.py": ("test_source.py", "test_reports.py"),
    "foundation/word_diff.py": ("test_word_diff.py",),
    "language/syntax/*": (
        *("test_parse.py", "test_syntax.py", "test_comments.py", "test_pragmas.py", "test_letters.py", "test_modes.py"),
        *("test_host_text.py", "test_constructs.py", "test_spelling.py", "test_tolerated.py", "test_format.py"),
        *("test_check.py", "test_fixes.py", "test_drafts.py", "test_one_report.py", "test_rule_fixes.py"),
        *("test_highlight.py", "test_mutants.py", "test_format_properties.py", "test_properties.py"),
    ),
    "language/syntax/errors/*": (
        *("test_syntax.py", "test_drafts.py", "test_one_report.py", "test_mutants.py", "test_properties.py"),
    ),
    "language/names/*": (
        *("test_check.py", "test_modes.py", "test_used_files.py", "test_catalog.py", "test_rules.py"),
        *("editor/test_names.py", "editor/test_outline.py", "test_drafts.py", "test_rule_fixes.py"),
        *("test_constructs.py", "test_properties.py"),
    ),
    "language/rules/*": (
        *("test_check.py", "test_modes.py", "test_rules.py", "test_spelling.py", "test_tolerated.py"),
        *("test_drafts.py", "test_rule_fixes.py"),
    ),
    "drawing/figure/*": (
        *("test_layout.py", "test_render.py", "test_reference.py", "test_signs.py", "test_metrics.py"),
        *("test_constructs.py", "test_outputs.py"),
    ),
    "evaluation/*": (
        *("evaluation/test_evaluate.py", "evaluation/test_problems.py", "evaluation/test_paper.py"),
        *("evaluation/test_misread.py", "evaluation/test_same_context.py", "evaluation/test_beside_messages.py"),
        *("evaluation/test_state_file.py", "evaluation/test_example_states.py", "evaluation/test_coverage.py"),
        "test_api_evaluate.py",
        *("evaluation/test_evaluation_limits.py", "evaluation/test_equal_sent.py", "evaluation/test_respelled.py"),
        *("test_transcripts.py", "evaluation/test_evaluation_properties.py", "evaluation/test_check_agrees.py"),
    ),
    "compare/structure/*": (
        *("comparison/test_diff.py", "comparison/test_chosen.py", "comparison/test_showing.py"),
        *("comparison/test_inlined.py", "comparison/test_used_fragments.py", "comparison/test_diff_markdown.py"),
        *("comparison/test_figure_unified.py", "inference/test_merge.py", "comparison/test_diff_properties.py"),
        "inference/test_refine.py",
    ),
    "runs/match/*": (
        *("traces/test_verdicts.py", "traces/test_answered.py", "traces/test_surplus.py", "traces/test_chosen.py"),
        *("traces/test_clock.py", "traces/test_locating.py", "traces/test_growing_runs.py"),
        *("traces/test_run_reports.py", "traces/test_examples.py", "traces/test_changed_runs.py"),
        "traces/test_unrolled.py",
    ),
    "playbook/model/*": (
        *("playbook/test_operations.py", "playbook/test_curate.py", "playbook/test_curating.py"),
        *("playbook/test_delta.py", "playbook/test_plain.py", "playbook/test_pruning.py", "playbook/test_merge.py"),
        *("playbook/test_content.py", "playbook/test_refine.py", "playbook/test_relevance.py"),
        *("playbook/test_states.py", "playbook/test_curate_properties.py", "playbook/test_budget_histories.py"),
    ),
}
"""Files below `tests/`, by modules below the package."""


def modules_of(subject: str) -> list[Path]:
    """List the modules of a subject."""
    return [path for path in sorted(PACKAGE.glob(subject)) if path.suffix == ".py"]
