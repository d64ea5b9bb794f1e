"""The problems of a text that are found before rules can look at it, documented like rules.

Each text is a clause, then sections.
"""

from collections.abc import Mapping

TEXT_PROBLEMS: Mapping[str, str] = {
    "drawn-form": """the text is a drawing of a spec, as in figures and in `acdl render --format text`.

        ## Why
        A drawing nests by indentation and has no braces; a fence or a file holds ACDL, which every tool reads the same
        way. `acdl convert --from drawing FILE` writes the one from the other.

        ## Example
        ```acdl
        Chat[@T]:
          Role: System
            INSTRUCTIONS
          ForEach t : 1 ... @T
            Role: User
              env.question[@t]
        ```

        ## Use instead
        ```acdl
        Chat[@T]: {
            S: INSTRUCTIONS
            ForEach(t: range(1, @T+1)) {
                U: env.question[@t]
            }
        }
        ```
        """,
    "not-acdl": """the text is in another language.

        ## Why
        A block that says `acdl` and holds Python or JSON would be a long list of mistakes; it is one.

        ## Example
        ```acdl
        import os

        def build_prompt(messages):
            return [m.text for m in messages]
        ```

        ## Use instead
        ```acdl
        BuildPrompt[@T]: {
            ForEach(m: env.messages[@T]) { U: m.text }
        }
        ```
        """,
    "not-formatted": """the text says something that can be written in one way only, so `acdl format` left it alone.

        ## Why
        A name that looks like a keyword (`Default` as the name of a value) means something else on a line of its own.
        The normal form is read again before it is written, and what would be read otherwise is never written. Only
        `acdl format` says this.
        """,
    "not-text": """the text holds bytes that no text has.

        ## Why
        The file is a picture, an archive or a damaged copy. Name the `.acdl` file itself.
        """,
    "syntax": """something stands where it cannot; the message says what could.

        The text around it is read all the same: all problems of a file are reported at once.

        ## Why
        Two people would read the place differently, or nobody would understand it.

        ## Example
        ```acdl
        Chat[@T]: {
            U: env.question[@T
            A: resp.answer[@T-1]
        }
        ```

        ## Use instead
        ```acdl
        Chat[@T]: {
            A: resp.answer[@T-1]
            U: env.question[@T]
        }
        ```
        """,
    "too-deep": """blocks or parentheses are nested deeper than anyone can read.

        ## Why
        Such a text is made by a program that went wrong, or by a missing `}` in each of many copies. Give parts of it
        a name: `StrFrag` for a piece of a message, `RolesFrag` for messages.
        """,
    "too-large": """the file has more than 4 million characters.

        ## Why
        No specification is that long: this is a log or a data file. Name the `.acdl` file itself.
        """,
    "unbalanced-block": """a brace, bracket or parenthesis is never closed, or closes nothing.

        The message names the block that was left open, and the line before which the indentation says that it ends.

        ## Why
        Everything behind a missing `}` would become part of the block.

        ## Example
        ```acdl
        Chat[@T]: {
            S: {
                INSTRUCTIONS
            U: env.question[@T]
        }
        ```

        ## Use instead
        ```acdl
        Chat[@T]: {
            S: {
                INSTRUCTIONS
            }
            U: env.question[@T]
        }
        ```
        """,
}
"""Problems of a text that are found before rules can look at it."""


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
