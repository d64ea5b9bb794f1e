"""The problems of pages that no rule finds, documented like rules: blocks, galleries and references to figures.

Each text is a clause, then sections; an example in `markdown` is a block as it stands in a page.
"""

from collections.abc import Mapping

from acdl_mkdocs.foundation.diagnostics import Severity

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
    "unread-block": """a block of a page stands where it cannot be read, so nothing checks it or changes it.

        In a docstring, the text of the block in the file has to be what Python makes of it: no escapes such as `\\n`,
        no lines that a backslash continues, no values that an f-string puts in. A Python file or a notebook that is
        broken has no blocks at all.

        ## Why
        A figure that nobody checks looks like one that was. `acdl format` never changes such a block, since the text
        that it would write is not the text that would be read.
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


PLAYBOOK_PROBLEMS: Mapping[str, str] = {
    "playbook-file": """the file of a playbook says something that cannot be read, or that no playbook can be.

        Every problem of a file is reported at once, with its line and a cure; `acdl playbook verify` reports the same,
        and whether the history agrees. Nothing of the playbook is shown.

        ## Why
        A lesson that was read wrongly would stand in prompts as if somebody had meant it.
        """,
    "unknown-section": """a block shows a section that its playbook does not have.

        ## Why
        Readers would miss lessons that the author of the page wanted them to see.
        """,
    "unknown-bullet": """a block shows a lesson that its playbook does not have.

        Ids of lessons that were merged into others are known, and show the other.

        ## Why
        Readers would miss a lesson that the author of the page wanted them to see.
        """,
    "empty-playbook": """a block shows no lesson.

        The message says why: the playbook has none, or none of those that the block asks for.

        ## Why
        Readers would see a heading with nothing below it.
        """,
    "damaged-history": """the history beside a playbook is damaged, so changes are shown only as far as it is whole.

        `acdl playbook verify` says where, and `acdl playbook repair` sets aside what cannot be read.

        ## Why
        Readers would take half of the changes for all of them.
        """,
    "secret-in-playbook": """a lesson holds what looks like a key or a password.

        The lesson is not shown, nowhere on the site, and the message does not repeat it.

        ## Why
        What a page shows is copied at once. Take the secret out, and make it void where it is used.
        """,
    "secret-in-history": """an earlier text of a lesson holds what looks like a key or a password.

        The history keeps every text, so the file still has it. The site does not show it.

        ## Why
        Who has the repository has the secret. Make it void where it is used.
        """,
    "unknown-target": """a lesson is about a spec or a fragment that the site does not have.

        `applies_to` names specs as `acdl:React1` and fragments as `fragment:Turn`. The lesson is shown, without a link.

        ## Why
        The page of a spec lists the lessons about it; a renamed spec would lose them without a word.
        """,
}
"""Problems of a playbook that a page shows."""

PLAYBOOK_SEVERITIES: Mapping[str, Severity] = {
    "empty-playbook": "note",
    "damaged-history": "warning",
    "secret-in-history": "warning",
    "unknown-target": "warning",
}
"""Those that are no errors."""


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
