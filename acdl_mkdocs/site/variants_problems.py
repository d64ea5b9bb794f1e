"""The problems of variants in pages, documented like rules: each text is a clause, then sections."""

from collections.abc import Mapping

VARIANTS_PROBLEMS: Mapping[str, str] = {
    "missing-result": """a row of results has no value for a variant, or nothing to compare where one is to be the best.

        A number may have a sign or a currency before it, and behind it a percent sign, what follows `±` or a bracket,
        or a unit after a blank: `1 234`, `1.5k`, and values of one row with several units are not compared.

        ## Why
        Readers take a gap for a mistake. Say that something was not measured, with `n/a` or `-`; say `best: none` for
        measures that are words.

        ## Example
        ```markdown
        ~~~ acdl-variants
        specs: [specs/a.acdl#Short, specs/a.acdl#Long]
        results:
          Success, %: {Short: 74.68}
        ~~~
        ```

        ## Use instead
        ```markdown
        ~~~ acdl-variants
        specs: [specs/a.acdl#Short, specs/a.acdl#Long]
        results:
          Success, %: {Short: 74.68, Long: n/a}
        ~~~
        ```
        """,
    "unknown-column": """results, or the base, name what is no variant of the block.

        ## Why
        The value would be shown nowhere. Results name a variant as the block does: by the name of the spec, or by the
        `name` that the block gives it.

        ## Example
        ```markdown
        ~~~ acdl-variants
        specs: [specs/a.acdl#Short, specs/a.acdl#Long]
        base: Shrt
        ~~~
        ```

        ## Use instead
        ```markdown
        ~~~ acdl-variants
        specs: [specs/a.acdl#Short, specs/a.acdl#Long]
        base: Short
        ~~~
        ```
        """,
    "unreadable-variants": """an `acdl-variants` block is not the YAML that it has to be.

        It is a map with `specs`, and perhaps `base`, `results`, `best`, `caption`, `source` and `title`.

        ## Why
        What is not understood would be missing from the page without a word.

        ## Example
        ```markdown
        ~~~ acdl-variants
        variants: [specs/a.acdl#Short, specs/a.acdl#Long]
        ~~~
        ```

        ## Use instead
        ```markdown
        ~~~ acdl-variants
        specs: [specs/a.acdl#Short, specs/a.acdl#Long]
        ~~~
        ```
        """,
    "unusable-results": """a file of results is no table with a column or a row for each variant.

        ## Why
        The first line of the CSV file names the variants, or its first column does; otherwise nobody knows which value
        is whose. Commas, semicolons and tabs may stand between values.
        """,
}
"""Problems of an `acdl-variants` block, beside those that every block can have."""
