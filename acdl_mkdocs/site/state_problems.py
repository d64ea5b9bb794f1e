"""The problems of states, documented like rules; see `problems` for the form of the texts."""

from collections.abc import Mapping

STATE_PROBLEMS: Mapping[str, str] = {
    "state-file": """a state file says something that cannot be read, or that its spec never reads.

        The message begins with the path of the entry, such as `steps.2.env.user_qestion`. All problems of a file are
        reported at once, and what is right is read all the same. A name that is nearly one that the spec reads is a
        warning; other names that it never reads, and what it reads and the state has nowhere, are notes.

        ## Why
        A mistyped name would be a value that nobody sees, and a hole in the prompt.

        ## Example
        ```yaml
        acdl_state: 1
        spec: Chat
        steps:
          2:
            env: {user_qestion: "Why?"}
        ```

        ## Use instead
        ```yaml
        acdl_state: 1
        spec: Chat
        steps:
          2:
            env: {user_question: "Why?"}
        ```
        """,
}
"""Problems of a state file, alone and beside its spec."""
