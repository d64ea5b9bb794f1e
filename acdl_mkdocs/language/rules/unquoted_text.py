"""Rule `unquoted-text`: plain text is used where ACDL names the content."""

from collections.abc import Iterator

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.language.names.resolve import Resolved
from acdl_mkdocs.language.names.unknown_headers import find_plain_texts
from acdl_mkdocs.language.syntax.fixed_wording import has_no_case


def unquoted_text(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:  # noqa: ARG001  # same for all rules
    """Report three or more words in a row on one line that name nothing.

    ## Why
    ACDL names the information to send, not its wording: each of these words would be read as a variable.

    ## Example
    ```acdl
    P[@T]: {
        S: You are a helpful assistant
    }
    ```

    ## Use instead
    ```acdl
    P[@T]: {
        S: INSTRUCTIONS
    }
    ```

    Reference: Language Reference, "Templates".
    """
    for span in find_plain_texts(resolved):
        text = resolved.source.one_line(span.start, span.end)
        name = f"one name, `{'_'.join(text.split())}`" if has_no_case(text) else "a TEMPLATE in capitals"
        yield error(
            "unquoted-text",
            "plain text stands where ACDL was expected",
            Label(span, "reads like text for the model"),
            help=f"ACDL names what is sent: write {name}, or put the text in quotes",
        )
