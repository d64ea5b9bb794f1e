"""Rule `snippet-in-file`: an `.acdl` file holds statements outside any spec."""

from collections.abc import Iterator

from acdl_mkdocs.config import Config
from acdl_mkdocs.diagnostics import Diagnostic, Label, error
from acdl_mkdocs.names.resolve import Resolved
from acdl_mkdocs.rules.unknown_block import unknown_block
from acdl_mkdocs.syntax.nodes import Broken, BrokenBlock, Comment, Declaration, Fragment, Prompt, Skipped

_AT_TOP = (Prompt, Fragment, Declaration, Skipped, Comment, Broken, BrokenBlock)


def snippet_in_file(resolved: Resolved, config: Config) -> Iterator[Diagnostic]:
    """Report the first statement that stands outside every spec and fragment of a file.

    A fence in a page may show a snippet; a file holds whole definitions. `--snippet` accepts snippets everywhere.

    ## Why
    Without a title nobody can refer to it, and no one knows for which time step it is built.

    ## Example
    ```acdl
    S: INSTRUCTIONS
    U: env.query[@T]
    ```

    ## Use instead
    ```acdl
    Chat[@T]: {
        S: INSTRUCTIONS
        U: env.query[@T]
    }
    ```

    Reference: Language Reference, "Specification Structure".
    """
    if config.snippet or resolved.parsed.diagnostics:
        return  # after a syntax error the title of a spec may be what was not understood
    for item in resolved.parsed.file.items:
        if not isinstance(item, _AT_TOP):
            if any(unknown_block(resolved, config)):
                return  # a title that was not understood makes a snippet of a spec
            yield error(
                "snippet-in-file",
                "this stands outside any spec",
                Label(item.span, "belongs to no spec"),
                help="put it inside a spec: `Name[@T]: { ... }`",
            )
            return
