"""The problems that no rule finds, documented like rules: what cannot be read, and blocks that say what nothing means.

Each text is a clause, then sections; an example in `markdown` is a block as it stands in a page.
"""

from collections.abc import Mapping

TEXT_PROBLEMS: Mapping[str, str] = {
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

BLOCK_PROBLEMS: Mapping[str, str] = {
    "ambiguous-reference": """a reference in the text of a page names what the site defines more than once.

        The message has all places; the link leads to the first. Figures of the same text are one definition.

        ## Why
        Readers would land at a figure that the sentence may not be about. Give the definitions different names, or
        link to the figure itself: `[the agent](agents.md#Chat)`.
        """,
    "bad-option-value": """an option of a block has a value that does not fit.

        ## Example
        ```markdown
        ~~~ acdl show=picture
        U: env.question[@T]
        ~~~
        ```

        ## Use instead
        ```markdown
        ~~~ acdl show=figure
        U: env.question[@T]
        ~~~
        ```
        """,
    "empty-block": """a block has nothing to draw.

        It has no text and names no file, its file is empty, or there are only comments and declarations in it.
        `show=source` shows such a text, and `header=on` draws the comments.

        ## Example
        ```markdown
        ~~~ acdl
        ~~~
        ```

        ## Use instead
        ```markdown
        ~~~ acdl
        U: env.question[@T]
        ~~~
        ```
        """,
    "empty-gallery": """a gallery shows nothing.

        ## Why
        Its options ask for what no spec of the site has: readers would find an empty page. The message says which
        option it is. Where no docs tool says which pages belong to the site, as in a single conversion with
        Python-Markdown, this is only a note.
        """,
    "internal-error": """a figure could not be drawn, through a mistake of this package.

        The page shows the text of the block in its place.

        ## Why
        A preview has to survive whatever a block makes happen. Please report the block, with the message.
        """,
    "missing-src": """the file that `src` names does not exist.

        The path begins at the project's folder. A file with nearly the same name is suggested.

        ## Example
        ```markdown
        ~~~ acdl src="specs/chat.acdl"
        ~~~
        ```
        """,
    "repeated-id": """two blocks of a page ask for the same `id`.

        ## Why
        A link can lead to one of them only. The second block gets a number: `chat-2`.
        """,
    "src-and-text": """a block names a file with `src` and has text too.

        ## Why
        The file is drawn; readers of the page's source would think that the text is.

        ## Example
        ```markdown
        ~~~ acdl src="examples/chat.acdl"
        U: env.question[@T]
        ~~~
        ```

        ## Use instead
        ```markdown
        ~~~ acdl src="examples/chat.acdl"
        ~~~
        ```
        """,
    "src-outside-project": """`src` names a file outside the project's folder.

        ## Why
        A page could publish what is none of its business.

        ## Example
        ```markdown
        ~~~ acdl src="../elsewhere/chat.acdl"
        ~~~
        ```
        """,
    "unclosed-fence": """a block has no closing line.

        ## Why
        The rest of the page would be part of the block. The closing line has the same signs as the opening one,
        at least as many, and the same indentation.

        ## Example
        ```markdown
        ~~~ acdl
        U: env.question[@T]
        ```
        """,
    "unknown-option": """the header of a block has an option that does not exist.

        ## Example
        ```markdown
        ~~~ acdl titel="Chat"
        U: env.question[@T]
        ~~~
        ```

        ## Use instead
        ```markdown
        ~~~ acdl title="Chat"
        U: env.question[@T]
        ~~~
        ```
        """,
    "unknown-reference": """a reference in the text of a page, such as `[[acdl:Chat]]`, leads nowhere.

        No page and no file of the site defines that name, or its figure has no such part. The near name is suggested.
        The words stay, without a link.

        ## Why
        A renamed spec would leave dead words all over the site. Text that only looks like a reference is written as
        code, or with a backslash before it.
        """,
    "unknown-spec": """`spec`, or the part of `src` after `#`, names no definition of the text.

        ## Why
        There is nothing to draw. A definition with nearly the same name is suggested.

        ## Example
        ```markdown
        ~~~ acdl spec=Caht
        Chat[@T]: { U: env.question[@T] }
        ~~~
        ```

        ## Use instead
        ```markdown
        ~~~ acdl spec=Chat
        Chat[@T]: { U: env.question[@T] }
        ~~~
        ```
        """,
    "unreadable-src": """the file that `src` names cannot be read, or is no text.

        ## Why
        The file is a folder, is protected, or is not UTF-8.
        """,
}
"""Problems of a block in a page: its header, its file, its end."""

WARNINGS = frozenset(("ambiguous-reference", "empty-gallery", "repeated-id"))
"""Those of the problems without an example that are warnings and not errors."""
