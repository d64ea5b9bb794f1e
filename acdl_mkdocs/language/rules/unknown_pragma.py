"""Rule `unknown-pragma`: a `// acdl:` comment contains something without a meaning."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import PARSE_PROBLEMS, Diagnostic, Label, warning
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.syntax.nodes import Comment
from acdl_mkdocs.language.syntax.pragmas import VALUES, Pragma, all_pragmas, near_pragmas


def unknown_pragma(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report settings, values and rule names in `// acdl:` comments that do not exist.

    ## Why
    A misspelled setting changes nothing, and nobody notices.

    ## Example
    ```acdl
    // acdl: range=inclusiv
    P[@T]: { U: env.query[@T] }
    ```

    ## Use instead
    ```acdl
    // acdl: range=inclusive
    P[@T]: { U: env.query[@T] }
    ```

    Reference: Language Reference, "Comments".
    """
    for pragma in all_pragmas(resolved.parsed.file, resolved.source):
        yield from _check_settings(pragma)
        yield from _check_rules(pragma)
        if pragma.rest:
            yield _report_rest(pragma)
    for comment, settings in near_pragmas(resolved.parsed.file, resolved.source):
        message = "the comment does not begin with `acdl:`, in lower case"
        yield _make_warning(comment, message, f"write `// acdl: {settings}`")


def _check_settings(pragma: Pragma) -> Iterator[Diagnostic]:
    for name, value in pragma.settings:
        if name not in VALUES:
            near = find_closest(name, VALUES) or "range"
            yield _make_warning(pragma.comment, f"there is no setting `{name}`", f"did you mean `{near}`?")
        elif value not in VALUES[name]:
            values = [each for each in VALUES[name] if each == value.strip("\"'").lower()] or VALUES[name]
            choices = " or ".join(f"`{name}={each}`" for each in values)
            yield _make_warning(pragma.comment, f"`{name}` cannot be `{value}`", f"write {choices}")


def _check_rules(pragma: Pragma) -> Iterator[Diagnostic]:
    from acdl_mkdocs.language.rules import RULES  # this rule is one of them

    for name in pragma.allowed_rules:
        if name in PARSE_PROBLEMS:
            message = f"`{name}` cannot be silenced"
            yield _make_warning(pragma.comment, message, "fix the text: what is not understood is not drawn")
        elif name not in RULES:
            near = find_closest(name, RULES)
            cure = f"did you mean `{near}`?" if near else "use the name in brackets of the message that you mean"
            yield _make_warning(pragma.comment, f"there is no rule `{name}`", cure)


def _report_rest(pragma: Pragma) -> Diagnostic:
    """Report words that are neither a setting nor a rule, such as a `use` without a file."""
    words = pragma.rest.split()
    if words[0].lower() == "use":
        name = " ".join(words[1:]).strip("\"' ") or "other.acdl"
        cure = f"write `use {_quote_name(name)}`"
        return _make_warning(pragma.comment, "`use` names no file", cure)
    if pragma.files and all(word.endswith(".acdl") for word in words):
        cure = f"write `use {', '.join((*(_quote_name(name) for name, _ in pragma.files), *words))}`"
        return _make_warning(pragma.comment, f"`{pragma.rest}` means nothing without `use`", cure)
    cure = "write `range=inclusive`, `range=half-open`, `allow(rule-name)` or `use other.acdl` after `acdl:`"
    return _make_warning(pragma.comment, f"`{pragma.rest}` means nothing after `acdl:`", cure)


def _quote_name(name: str) -> str:
    return f'"{name}"' if " " in name else name


def _make_warning(comment: Comment, message: str, cure: str) -> Diagnostic:
    return warning("unknown-pragma", message, Label(comment.span, "has no effect"), help=cure)
