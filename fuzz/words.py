"""Words of each language that an input may be in, made from the language's own tables where it has some.

Tables are imported by whoever asks for them: a fuzzer counts branches of every module that is imported.
"""

_SIGNS = ("{", "}", "(", ")", "[", "]", ":", ",", ";", ":=", "=", "==", "!=", "<=", "&&", "||", "!", "+", "-", "*", "/")
_TIMES = ("@T", "@t.i", "@T-1", "@T.*", "@1", "@t.substeps", "...", "\u2026", "range(1, @T)", "@$C")
_LETTERS = ("\u200b", "\u00a0", "\ufeff", "\u0301", "\u2028", "\x0b", "\x1c", "\x00", "\U0001f916", "\ud800", "\r\n")
_COMMENTS = (
    "//",
    "/*",
    "*/",
    "// acdl: range=inclusive\n",
    "// acdl: use a.acdl\n",
    "// acdl: allow(",
    "#msg",
    "// <- a.py:1",
)


def acdl() -> tuple[str, ...]:
    """Of specs."""
    from acdl_mkdocs.evaluation.functions import BUILT_IN
    from acdl_mkdocs.language.syntax.keywords import INNER_WORDS, NOT_ACDL, STATEMENT_WORDS
    from acdl_mkdocs.language.syntax.nodes import NAMESPACES, ROLE_WORDS

    return (
        *STATEMENT_WORDS,
        *INNER_WORDS,
        *NOT_ACDL,
        *BUILT_IN,
        *(f"{name}." for name in NAMESPACES),
        *(f"{word}:" for word in (*ROLE_WORDS, *ROLE_WORDS.values(), "S", "U", "A", "T", "N")),
        *("Frag ", "StrFrag F[x]: ", "RolesFrag G: ", "P[@T]: {", "ForEach(t: range(1, @T)) {", "$x", '"', "\\"),
        *_SIGNS,
        *_TIMES,
        *_COMMENTS,
        *_LETTERS,
    )


_YAML = (
    "&a ",
    "*a",
    "!!int ",
    "!!float ",
    "!!str ",
    "!x ",
    "<<: ",
    "? ",
    "- ",
    ": ",
    "|\n",
    ">-\n",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
)
_SCALARS = (
    ".inf",
    ".nan",
    "~",
    "null",
    "yes",
    "0x",
    "0o17",
    "1e999",
    "-0",
    "1_000",
    "2001-01-01",
    "12345678901234567890",
)


def state() -> tuple[str, ...]:
    """Of state files."""
    from acdl_mkdocs.evaluation.state.read import KEYS

    return (
        *(f"{key}: " for key in KEYS),
        *(
            "substeps: ",
            "$text: ",
            "$file: ",
            "$time: ",
            "$json: ",
            "args: ",
            "returns: ",
            "1.2: ",
            "1..3",
            "2.*",
            "*.*",
            "…",
        ),
        *_YAML,
        *_SCALARS,
        *_LETTERS,
    )


def playbook() -> tuple[str, ...]:
    """Of playbooks, deltas and histories."""
    from acdl_mkdocs.playbook.model.delta import FIELDS
    from acdl_mkdocs.playbook.store import write_playbook

    return (
        *(
            f"{key}: "
            for key in (
                *write_playbook.TOP,
                *write_playbook.BULLET,
                *write_playbook.SOURCE,
                *write_playbook.PAIR,
                *write_playbook.POLICY,
                *write_playbook.SECTION,
            )
        ),
        *(*write_playbook.STATUSES, *write_playbook.SEVERITIES, *write_playbook.VERDICTS),
        *FIELDS,
        *(f'"{name}": ' for needed, more in FIELDS.values() for name in (*needed, *more)),
        *("<!-- acdl-playbook:begin b -->", "<!-- acdl-playbook:end b -->", "<<<<<<< a\n", "=======\n", ">>>>>>> b\n"),
        *(
            '"previous":',
            '"revision":',
            '"after":{',
            '"before":null',
            "NaN",
            "Infinity",
            "-1",
            "[g-00001] helpful=1 harmful=0 ::",
        ),
        *_YAML,
        *_SCALARS,
        *_LETTERS,
    )


_XML = (
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<?xml version='1.0'?>",
    "<!DOCTYPE a [<!ENTITY e 'x'>]>",
    "&e;",
    "&amp;",
    "&#0;",
    "&#xD800;",
    "&lt;",
)


def pml() -> tuple[str, ...]:
    """Of PML documents."""
    from acdl_mkdocs.prompts.pml.grammar import ELEMENT_NAMES, KINDS, NAMESPACE

    return (
        *(f"<{name}>" for name in sorted(ELEMENT_NAMES)),
        *(f"</{name}>" for name in sorted(ELEMENT_NAMES)),
        *sorted({f' {each.name}="' for kind in KINDS.values() for each in kind.known_attributes.values()}),
        *sorted(
            {
                f'"{choice}"'
                for kind in KINDS.values()
                for each in kind.known_attributes.values()
                for choice in each.choices or ()
            }
        ),
        f' xmlns:x="{NAMESPACE}"',
        *("/>", '="1"', *_XML),
        *_LETTERS,
    )


def laic() -> tuple[str, ...]:
    """Of answers with calls."""
    return (
        *(
            '<call name="Weather" ',
            "</call>",
            '<arg name="a" type="number">',
            "</arg>",
            "<thinking>",
            "</thinking>",
            "```xml\n",
            "```\n",
        ),
        *(
            ' city="Oslo"',
            ' days="3"',
            ' id="c1"',
            ' x:type="',
            "[#W: ",
            "<tool_call>",
            "\n- ",
            "&lt;call ",
            "<CALL ",
            '<invoke name="Weather">',
            "&quot;",
            "“",
            '=\\"',
            "{",
            "}",
            "[",
            "]",
        ),
        *pml(),
    )


def trace() -> tuple[str, ...]:
    """Of requests and recorded runs."""
    return (
        *(
            '"messages":',
            '"role":"user"',
            '"role":"assistant"',
            '"content":',
            '"tool_calls":',
            '"function":',
            '"arguments":',
            '"type":"text"',
        ),
        *(
            '"input":',
            '"instructions":',
            '"contents":',
            '"parts":',
            '"system":',
            '"tools":',
            '"tool_use_id":',
            '"functionCall":',
            '"at":"1.1"',
        ),
        *(
            '"log":',
            '"entries":',
            '"request":',
            '"postData":',
            '"encoding":"base64"',
            '"resourceSpans":',
            '"scopeSpans":',
            '"spans":',
        ),
        *(
            '"attributes":',
            '"events":',
            '"stringValue":',
            '"kvlistValue":',
            '"arrayValue":',
            '"intValue":',
            "gen_ai.prompt.0.role",
        ),
        *(
            "null",
            "true",
            "NaN",
            "1e999",
            "-0",
            '"\\ud800"',
            '"\\u0000"',
            "[[[[",
            "{}",
            "[]",
            '""',
            "\n",
            "\x1f\x8b",
            "99999999999999999999",
        ),
    )


def options() -> tuple[str, ...]:
    """Of opening lines of blocks."""
    from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS
    from acdl_mkdocs.frontends.docs.blocks.diff_options import DIFF_OPTIONS
    from acdl_mkdocs.frontends.docs.blocks.gallery_options import GALLERY_OPTIONS
    from acdl_mkdocs.frontends.docs.blocks.variants_options import VARIANTS_OPTIONS
    from acdl_mkdocs.frontends.docs.blocks.xml_fence import XML_OPTIONS
    from acdl_mkdocs.playbook.pages.block import PLAYBOOK_OPTIONS
    from acdl_mkdocs.workspace.options import OPTIONS

    tables = (OPTIONS, DIFF_OPTIONS, GALLERY_OPTIONS, PLAYBOOK_OPTIONS, VARIANTS_OPTIONS, XML_OPTIONS)
    return (
        *BLOCKS,
        *sorted({f" {name}=" for table in tables for name in table}),
        *(
            "{.",
            "}",
            " #id",
            " .wide",
            '"',
            "'",
            "on",
            "off",
            "figure",
            "source",
            "side",
            "text",
            "inclusive",
            "auto",
            "480px",
            "1..3",
        ),
        *("a.acdl#P", "../a", "/etc/passwd", "http://a/", "\\", "<b>", "&quot;", "\t", "|", "%"),
        *_LETTERS,
    )


def markdown() -> tuple[str, ...]:
    """Of pages."""
    from acdl_mkdocs.frontends.docs.block_kinds import BLOCKS

    return (
        *(
            "```acdl\n",
            "```\n",
            "~~~ {.acdl #a}\n",
            "~~~\n",
            "````\n",
            "    ",
            "\t",
            "> ",
            "- ",
            "1. ",
            "* ",
            ": ",
            "[^1]: ",
            "!!! note\n",
        ),
        *(
            '=== "a"\n',
            "???+ a\n",
            "<!--",
            "-->",
            "<pre>",
            "</pre>",
            "<details markdown>",
            "`",
            "``",
            "[acdl:Top]",
            "[a][Top]",
            "| a | b |\n",
        ),
        *("---\n", "title: ", "{ #id }", "{.c}", "\\", "&lt;", "<script>", "\r", "\n\n", "# "),
        *(f"```{name}\n" for name in BLOCKS),
        *_LETTERS,
    )


def drawn() -> tuple[str, ...]:
    """Of drawings."""
    return (
        *(
            "+---+\n",
            "| ",
            " |",
            "\u250c\u2500\u2510\n",
            "\u2502",
            "\u2514\u2500\u2518\n",
            "Role: User\n",
            "System message\n",
            "ForEach @t : 1 ... @T-1\n",
        ),
        *(
            "[not shown] ",
            "[not understood] ",
            "Mark 1:",
            "(1)",
            "\u2460",
            "} 1",
            "SF ",
            "RF ",
            "else if ",
            "otherwise",
            "x3",
            "once",
            "excl.",
            "\t",
            "----",
        ),
    )


def http() -> tuple[str, ...]:
    """Of requests and answers on the wire."""
    from acdl_mkdocs.runs.record.forward import HOP_BY_HOP

    return (
        *(f"{name}: " for name in sorted(HOP_BY_HOP)),
        *(f"{name}: " for name in ("Host", "Content-Length", "Expect", "Origin", "Content-Type", "Content-Encoding")),
        *("Authorization: ", "Accept-Encoding: ", "Location: ", "Sec-Fetch-Site: ", "Host: HOST", "Date: "),
        *(
            "GET ",
            "POST ",
            "HEAD ",
            "OPTIONS ",
            "CONNECT ",
            " HTTP/1.1",
            " HTTP/1.0",
            "HTTP/1.1 ",
            "HTTP/1.0 ",
            "HTTP/2 ",
        ),
        *("BASE/chat/completions", "BASE/models", "BASE", "http://HOST", "//", "/../", "%0d%0a", "?", "#", "*", "\\"),
        *(
            "chunked",
            "gzip, chunked",
            "identity",
            "close",
            "keep-alive",
            "websocket",
            "100-continue",
            "text/event-stream",
        ),
        *("200 OK", "204 ", "304 ", "100 Continue", "101 ", "199 ", "307 ", "301 ", "599 ", "999 "),
        *("0\r\n\r\n", "2\r\n{}\r\n", "1;a=b\r\nx\r\n", "ffffffffffffffff", "0x2", "+2", "-1", "2, 2", "002", "1_0"),
        *(
            "\r\n",
            "\r",
            "\n",
            "\r\n\r\n",
            "\r\n ",
            "\t",
            "\x00",
            "\x0b",
            "\x0c",
            "\x85",
            "\xa0",
            ":",
            " :",
            ";",
            ",",
            "data: {}\n\n",
        ),
    )
