"""The problems of recorded runs that pages check specs against, documented like rules; see `problems` for the form."""

from collections.abc import Mapping

RUN_PROBLEMS: Mapping[str, str] = {
    "refuted-line": """a recorded run has sent something else than a line of the spec says.

        Said where a page checks a spec against [recorded runs](../../runs/in-pages.md), of each line that a request
        refutes. The section below the figure shows the request; `acdl check-run` shows both ends in the terminal.

        ## Why
        A figure that says what the agent does not do is worse than none. Either the spec is out of date, or the agent
        is wrong: the recording cannot know which.
        """,
    "run-file": """a recorded run that a block or a spec names cannot be used.

        It does not exist, lies outside the project, has no request, is damaged, or there is too much of it. Or nobody
        can say of which spec it is: a file has several, and the recording is called like the file, or a comment
        `// runs: …` stands above none of them.

        ## Why
        A page that says "verified" has to say against what.

        ## Example
        ```markdown
        ~~~ acdl runs="runs/monday.jsonl"
        Chat[@T]: { U: env.question[@T] }
        ~~~
        ```

        ## Use instead
        ```markdown
        ~~~ acdl
        Chat[@T]: { U: env.question[@T] }
        ~~~
        ```
        """,
}
"""Problems of the recordings of a block, and what they find out about its spec."""
