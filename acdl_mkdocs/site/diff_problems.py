"""The problems of differences in pages, documented like rules: each text is a clause, then sections."""

from collections.abc import Mapping

DIFF_PROBLEMS: Mapping[str, str] = {
    "ambiguous-side": """a difference names a spec that several texts of the site define, and not the same.

        ## Why
        The first of them is compared, which may not be the one that the sentences around the difference are about. A
        file says which one is meant: `old=specs/chat.acdl#Chat`.
        """,
    "missing-side": """a difference has nothing to compare, or only one side.

        ## Why
        A difference is between two texts: those that `old` and `new` name, or those in the block, with a line `---`
        between them. Where one of the two is named, the text of the block is the other.

        ## Example
        ```markdown
        ~~~ acdl-diff
        Chat[@T]: { U: env.question[@T] }
        ~~~
        ```

        ## Use instead
        ```markdown
        ~~~ acdl-diff
        Chat[@T]: { U: env.question[@T] }
        ---
        Chat[@T]: { S: INSTRUCTIONS  U: env.question[@T] }
        ~~~
        ```
        """,
    "newer-fragments": """a text of a git revision uses fragments of a page, which are taken as they are now.

        Files that a text names with `// acdl: use`, and other files of the project, are read as the revision has them.

        ## Why
        The difference between then and now would be told without what changed in these fragments.
        """,
    "same-sides": """a difference compares something with itself.

        ## Why
        There can be no difference: probably one of the two names was to be another.

        ## Example
        ```markdown
        ~~~ acdl-diff old=specs/chat.acdl new=specs/chat.acdl
        ~~~
        ```

        ## Use instead
        ```markdown
        ~~~ acdl-diff old=HEAD~1:specs/chat.acdl new=specs/chat.acdl
        ~~~
        ```
        """,
    "unknown-revision": """git does not have what a difference asks for.

        There is no such revision, it has no such file, the project is no git repository, or git is not installed.

        ## Why
        Nothing is fetched while a site is built, so what `HEAD~1:specs/chat.acdl` names has to be there. Continuous
        integration often gets the newest commit only: in a GitHub workflow, `fetch-depth: 0` of `actions/checkout`
        gets the others.
        """,
}
"""Problems of an `acdl-diff` block, beside those that every block can have."""
