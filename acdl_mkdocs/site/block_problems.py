"""The problems of pages that no rule finds, documented like rules: blocks, galleries and references to figures.

Each text is a clause, then sections; an example in `markdown` is a block as it stands in a page.
"""

from collections.abc import Mapping

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
    "idle-option": """an option says more about another one that is not given.

        `at` is about `state`; `mutants` and `excerpts` are about `runs`.

        ## Why
        The block is drawn as if the option were not there, which is hardly what was meant.

        ## Example
        ```markdown
        ~~~ acdl at=2
        U: env.question[@T]
        ~~~
        ```

        ## Use instead
        ```markdown
        ~~~ acdl
        U: env.question[@T]
        ~~~
        ```
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
    "repeated-id": """two blocks of a page, or a block and a heading, ask for the same `id`.

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
    "unknown-fence": """the language of a block is nearly one of `acdl` and `acdl-gallery`.

        ## Why
        Docs tools show blocks of languages that they do not know as code, without a word: `acdl-galery`, `acld`.
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
    "unknown-reference": """a reference in the text of a page, such as `[the chat](acdl:Chat)`, leads nowhere.

        No page and no file of the site defines that name, or its figure has no such part. The near name is suggested.
        The words stay, without a link.

        ## Why
        A renamed spec would leave dead words all over the site. Text that only looks like a reference is written as
        code, or with a backslash before it.
        """,
    "unknown-spec": """`spec`, or the part of `src` after `#`, names no definition of the text.

        In a comparison, what it names is no spec of the site, or no definition of its file.

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
    "unknown-variant": """a comment such as `// variant-of: Chat` names no spec of the site.

        The near name is suggested.

        ## Why
        The spec would stand alone, without a word: pages show a family side by side. A build of the site and
        `acdl check` find it; a single conversion does not know the other specs.
        """,
    "unreadable-src": """the file that `src` names cannot be read, or is no text.

        ## Why
        The file is a folder, is protected, or is not UTF-8.
        """,
}
"""Problems of a block in a page: its header, its file, its end."""

WARNINGS = frozenset(("ambiguous-reference", "empty-gallery", "repeated-id", "unknown-variant"))
"""Those of the problems without an example that are warnings and not errors."""
