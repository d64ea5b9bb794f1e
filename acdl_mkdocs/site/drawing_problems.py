"""What `acdl convert` says of a drawing, documented like rules.

Each text is a clause, then sections.
"""

from collections.abc import Mapping

DRAWING_PROBLEMS: Mapping[str, str] = {
    "unclear-nesting": """the indentation of a drawing does not say what belongs where.

        Read as the nearest level, or as the only nesting that ACDL has.

        ## Why
        In a drawing only indentation says what stands in a loop or in a message. A line between two levels, text
        without any indentation and a message inside a message can be read in more than one way.

        ## Example
        ```text
        Chat[@T]:
            Role: System
                INSTRUCTIONS
              TOOLS
        ```

        ## Use instead
        ```text
        Chat[@T]:
            Role: System
                INSTRUCTIONS
                TOOLS
        ```
        """,
    "joined-line": """a line of a drawing is read as the rest of the line above it.

        ## Why
        Text that is copied from a page has the line breaks of the page. Two lines are one where brackets are open,
        where an operator ends the first one, where plain words come after a comment, and where a hyphen cuts a word:
        the last two are told, because they may mean something else.

        ## Example
        ```text
        Chat[@T]:
          Role: User
            env.ques-
            tion[@T]
        ```

        ## Use instead
        ```text
        Chat[@T]:
          Role: User
            env.question[@T]
        ```
        """,
    "guessed-line": """a line of a drawing can be read in more than one way.

        A sentence in a message is read as text that is sent as it is, `x = f(y)` as `x := f(y)`, a number in
        parentheses far behind a line as that of a mark, `T` in a spec of `@T` as the time, but `Chat[T]` as a spec of
        a value, `a and b` in a message as a condition, and `top-k(x)` as a difference.

        ## Why
        A drawing must not change its meaning in silence: a word, a `=` or a number can be meant in two ways, and nobody
        can ask the paper.

        ## Example
        ```text
        Chat[@T]:
          System: You are a helpful assistant.
          User: env.question[@T]
        ```

        ## Use instead
        ```text
        Chat[@T]:
          System: INSTRUCTIONS
          User: env.question[@T]
        ```
        """,
    "unread-line": """a line of a drawing is not understood, and kept as a comment.

        Everything around it is read all the same.

        ## Why
        A comment is not sent, so nothing is sent that nobody drew, and nothing of the drawing is lost.

        ## Example
        ```text
        Chat[@T]:
          Role: User
            env.question[@T
          Role: Assistant
            resp.answer[@T-1]
        ```

        ## Use instead
        ```text
        Chat[@T]:
          Role: User
            env.question[@T]
          Role: Assistant
            resp.answer[@T-1]
        ```
        """,
    "not-a-drawing": """the text is ACDL already, so definitions without errors are brought to their normal form.

        ## Why
        `acdl convert --from drawing` was asked to read a drawing, and this has braces. Definitions with errors are
        left as they are, and the errors are those of `acdl check`.

        ## Example
        ```text
        Chat[@T]: { U: env.question[@T] }
        ```
        """,
    "empty-drawing": """there is nothing in the drawing.

        ## Why
        A picture has been copied instead of its text, or the wrong file is named.
        """,
}
"""Problems of a drawing."""
