"""The problems of PML documents and of calls in LAIC, documented like rules; see `block_problems` for the form.

What is wrong is said where it is found, in `pml.problems`; here is the rest of each page. Examples are whole documents.
"""

from collections.abc import Mapping

from acdl_mkdocs.frontends.docs.problems.pml_sense import PML_SENSE_PROBLEMS
from acdl_mkdocs.prompts.pml.problems import PML_RULES

PML_TEXT_PROBLEMS: Mapping[str, str] = {
    "not-xml": """
        The message says what stands there and what XML wants instead. A document is read as a whole or not at all, so
        only the first such place is told.

        ## Why
        Two programs would read two different prompts. Text of people and files is full of `&` and `<`: whoever writes a
        document by hand escapes them, programs write it with `acdl_mkdocs.prompts.pml.write`.

        ## Example
        ```xml
        <conversation><turn><user>
          <text>Is a < b && b < c?</text>
        </user></turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn><user>
          <text>Is a &lt; b &amp;&amp; b &lt; c?</text>
        </user></turn></conversation>
        ```
        """,
    "raw-line-end": """
        Only in the arguments of calls, where it may be code: it is kept there. Elsewhere it is a space, as XML says.

        ## Why
        Every other XML reader gives the call a space in its place, so that Python code, for example, loses its lines.

        ## Example
        ```xml
        <conversation><turn><assistant>
          <call name="run" code="for i in range(3):
            print(i)"/>
        </assistant></turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn><assistant>
          <call name="run" code="for i in range(3):&#10;    print(i)"/>
        </assistant></turn></conversation>
        ```
        """,
    "wrong-encoding": """
        ## Why
        A reader that believed a declaration could be made to read other characters than the person who looked at the
        file. There is one encoding, so nobody has to ask.

        ## Example
        ```xml
        <?xml version="1.0" encoding="iso-8859-1"?>
        <memory><fact>Zoë</fact></memory>
        ```

        ## Use instead
        ```xml
        <?xml version="1.0" encoding="utf-8"?>
        <memory><fact>Zoë</fact></memory>
        ```
        """,
    "document-type": """
        Entities are never defined and never expanded, nothing is fetched. Lenient reading refuses it too.

        ## Why
        A few lines of entities can become gigabytes of text, or the contents of a file of the machine that reads them.

        ## Example
        ```xml
        <!DOCTYPE memory [<!ENTITY who "Alice">]>
        <memory><fact>&who; likes tea</fact></memory>
        ```

        ## Use instead
        ```xml
        <memory><fact>Alice likes tea</fact></memory>
        ```
        """,
    "processing-instruction": """
        Lenient reading leaves it out, and says so.

        ## Why
        It is no part of the prompt, and a program that takes it for one would read another prompt.

        ## Example
        ```xml
        <?xml-stylesheet href="chat.css"?>
        <memory><fact>Alice likes tea</fact></memory>
        ```

        ## Use instead
        ```xml
        <memory><fact>Alice likes tea</fact></memory>
        ```
        """,
    "over-limit": """
        The limits are 32 MB, 64 elements inside each other, 100,000 elements, 256 attributes of an element and 500,000
        of all; of an answer of a model, a million characters and 256 calls; of a call, 100,000 values that are compared
        with the schema of its tool. The message names the one that is exceeded, as in
        `error[over-limit]: the document has more than 100,000 elements`, and nothing is read beyond it. A file that
        `src` of a block names has at most 10 MB.

        ## Why
        Whoever reads texts of others would be stopped by one of them. From Python, `read(text, limits=Limits(...))`
        sets other limits.
        """,
    "unknown-element": """
        In lenient reading, an unknown element of a message becomes an attachment of that type, and one in `<memory>` a
        content with that label.

        ## Why
        A mistyped element would be missing from the prompt, and nobody would see it.

        ## Example
        ```xml
        <conversation><turn>
          <user><txt>Is it raining?</txt></user>
        </turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn>
          <user><text>Is it raining?</text></user>
        </turn></conversation>
        ```
        """,
    "foreign-element": """
        PML has no namespace. Only the extension that this package itself writes, `urn:acdl-mkdocs:pml:1`, is read.
        Lenient reading leaves out what is of another namespace, and says so.

        ## Why
        Nobody knows what such an element means, so nobody can say whether it may be left out of the prompt.

        ## Example
        ```xml
        <conversation xmlns:app="https://example.org/app"><turn>
          <app:mark/>
          <user><text>Is it raining?</text></user>
        </turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn>
          <user><text>Is it raining?</text></user>
        </turn></conversation>
        ```
        """,
    "misplaced-element": """
        The message lists what may stand there. Lenient reading puts a message that stands alone into a turn, a second
        message of the user into another turn, and what follows a call into another message.

        ## Why
        Where a message ends, what belongs to which turn and which call a result answers are read from the places of
        elements. Calls are the end of a message, since the model waits for their results there.

        ## Example
        ```xml
        <conversation><turn>
          <user><text>Is it raining?</text></user>
          <assistant><call name="W" loc="Oslo"/><text>I look.</text></assistant>
        </turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn>
          <user><text>Is it raining?</text></user>
          <assistant><text>I look.</text><call name="W" loc="Oslo"/></assistant>
        </turn></conversation>
        ```
        """,
    "missing-element": """
        ## Why
        A prompt without a conversation asks a model nothing. What is only remembered, or only a list of tools, is a
        document of its own: `<memory>` or `<tools>` as the root.

        ## Example
        ```xml
        <prompt version="1">
          <memory><fact>Alice likes tea</fact></memory>
        </prompt>
        ```

        ## Use instead
        ```xml
        <memory><fact>Alice likes tea</fact></memory>
        ```
        """,
    "misplaced-text": """
        White space between elements is nothing. Lenient reading leaves other text out, and says so.

        ## Why
        Nobody could say who speaks these words, and some programs would send them while others would not.

        ## Example
        ```xml
        <conversation><turn>
          <user>Is it raining?</user>
        </turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn>
          <user><text>Is it raining?</text></user>
        </turn></conversation>
        ```
        """,
    "unknown-attribute": """
        Only `<call>` has attributes of any name: they are arguments. Lenient reading leaves others out, and says so.

        ## Why
        A mistyped attribute would be missing, and nobody would see it.

        ## Example
        ```xml
        <conversation tpoic="Weather"/>
        ```

        ## Use instead
        ```xml
        <conversation topic="Weather"/>
        ```
        """,
    "missing-attribute": """
        ## Why
        Without it nobody knows which tool is called, which argument is meant, or what an attachment is.

        ## Example
        ```xml
        <tools><tool desc="Weather of a place"/></tools>
        ```

        ## Use instead
        ```xml
        <tools><tool name="W" desc="Weather of a place"/></tools>
        ```
        """,
    "attribute-value": """
        The label says what the attribute can have.

        ## Why
        A reader would have to guess. A status that nobody knows, for example, could be an error that is taken for a
        result.

        ## Example
        ```xml
        <tools><tool name="W"><param key="days" type="int"/></tool></tools>
        ```

        ## Use instead
        ```xml
        <tools><tool name="W"><param key="days" type="integer"/></tool></tools>
        ```
        """,
    "repaired": """
        Reported for each thing that lenient reading changes: by `acdl pml check --lenient`, by blocks that are read
        leniently, and by `acdl pml calls --repair`. Only what can be read in one way is changed, and nothing becomes a
        call that was none.

        ## Why
        Another reader would refuse the text, or read it in another way.

        ## Example
        ```xml
        <conversation><turn>
          <user><text>What does it do?</text><file name="a.py">print(1)</file></user>
        </turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn>
          <user><text>What does it do?</text><attachment type="file" name="a.py">print(1)</attachment></user>
        </turn></conversation>
        ```
        """,
}
"""Problems of XML, of elements and of attributes."""


_OF_CALL = """
        {about}

        Measured by `acdl pml check` in documents that list tools, where it is a warning, and by `acdl pml calls` in the
        fresh answer of a model, where it is an error that a program can hand back to the model. A call whose result is
        an error is right in a history, and not reported.

        ## Why
        {why}

        ## Example
        ```xml
        <prompt>
          <tools><tool name="W">{tool}</tool></tools>
          <conversation><turn><assistant>
            {wrong}
          </assistant></turn></conversation>
        </prompt>
        ```

        ## Use instead
        ```xml
        <prompt>
          <tools><tool name="W">{tool}</tool></tools>
          <conversation><turn><assistant>
            {right}
          </assistant></turn></conversation>
        </prompt>
        ```
        """

PML_CALL_PROBLEMS: Mapping[str, str] = {
    "missing-argument": _OF_CALL.format(
        about='A `<param>` with `req="1"` has to be given.',
        why="The tool cannot do its work, or does it with a value that nobody chose.",
        tool='<param key="loc" req="1"/>',
        wrong='<call name="W"/>',
        right='<call name="W" loc="Oslo"/>',
    ),
    "unknown-argument": _OF_CALL.format(
        about="The message names the near argument, or all that there are.",
        why="What the model meant to say would be dropped, and the tool would do something else.",
        tool='<param key="loc"/>',
        wrong='<call name="W" lco="Oslo"/>',
        right='<call name="W" loc="Oslo"/>',
    ),
    "wrong-type": _OF_CALL.format(
        about="The types are those of JSON Schema: 2 is a number too, 2.5 is no integer.",
        why="The tool would be given something that it does not understand, or understands in another way.",
        tool='<param key="days" type="integer"/>',
        wrong='<call name="W"><arg key="days" type="json">[2]</arg></call>',
        right='<call name="W" days="2"/>',
    ),
    "wrong-value": _OF_CALL.format(
        about="The message lists the values that `enum` allows.",
        why="The tool knows no other values.",
        tool='<param key="unit" enum="metric|imperial"/>',
        wrong='<call name="W" unit="celsius"/>',
        right='<call name="W" unit="metric"/>',
    ),
    "wrong-size": _OF_CALL.format(
        about="A schema can limit numbers, lengths of texts and lengths of lists.",
        why="The tool would refuse the call, or run for hours.",
        tool='<schema>{"properties": {"days": {"type": "integer", "maximum": 14}}}</schema>',
        wrong='<call name="W" days="365"/>',
        right='<call name="W" days="14"/>',
    ),
}
"""Problems of calls beside the tools that the model was given."""


_PAGES = {**PML_TEXT_PROBLEMS, **PML_SENSE_PROBLEMS, **PML_CALL_PROBLEMS}
PML_PROBLEMS: Mapping[str, str] = {name: f"{PML_RULES[name]}.\n{text}" for name, text in _PAGES.items()}
"""Problems of a PML document, and of calls beside their tools."""
