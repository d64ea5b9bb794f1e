"""Rule `unknown-pragma`: a `// acdl:` comment says something that means nothing."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Label, warning
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.suggest import closest
from acdl_mkdocs.syntax.pragmas import VALUES, Pragma, all_pragmas


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
        yield from _settings(pragma)
        yield from _rules(pragma)
        if pragma.rest:
            cure = "write `range=inclusive`, `range=half-open`, `allow(rule-name)` or `use other.acdl` after `acdl:`"
            yield _warning(pragma, f"`{pragma.rest}` means nothing after `acdl:`", cure)


def _settings(pragma: Pragma) -> Iterator[Diagnostic]:
    for name, value in pragma.settings:
        if name not in VALUES:
            near = closest(name, VALUES) or "range"
            yield _warning(pragma, f"there is no setting `{name}`", f"did you mean `{near}`?")
        elif value not in VALUES[name]:
            wanted = " or ".join(f"`{name}={each}`" for each in VALUES[name])
            yield _warning(pragma, f"`{name}` cannot be `{value}`", f"write {wanted}")


def _rules(pragma: Pragma) -> Iterator[Diagnostic]:
    from acdl_mkdocs.rules import RULES  # this rule is one of them

    for name in pragma.allowed:
        if name not in RULES:
            near = closest(name, RULES)
            cure = f"did you mean `{near}`?" if near else "use the name in brackets of the message that you mean"
            yield _warning(pragma, f"there is no rule `{name}`", cure)


def _warning(pragma: Pragma, message: str, cure: str) -> Diagnostic:
    return warning("unknown-pragma", message, Label(pragma.comment.span, "has no effect"), help=cure)
