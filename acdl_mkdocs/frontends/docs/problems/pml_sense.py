"""What is wrong with what a PML document says, documented like rules; `pml_problems` says how texts are made."""

from collections.abc import Mapping

PML_SENSE_PROBLEMS: Mapping[str, str] = {
    "bad-json": """
        JSON stands in `<arg type="json">`, in `<schema>`, in texts with `encoding="json"` and in extensions. A key that
        is there twice, `NaN`, a number of thousands of digits and more than 64 levels are refused too.

        ## Why
        Of two values with one key, one program takes the first and another the last: what was checked would not be what
        is done.

        ## Example
        ```xml
        <conversation><turn><assistant>
          <call name="W"><arg key="filter" type="json">{"days": 2, "days": 9}</arg></call>
        </assistant></turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn><assistant>
          <call name="W"><arg key="filter" type="json">{"days": 2}</arg></call>
        </assistant></turn></conversation>
        ```
        """,
    "bad-base64": """
        White space in it is nothing.

        ## Why
        A provider rejects the whole request, or a model is shown a broken picture.

        ## Example
        ```xml
        <conversation><turn><user>
          <attachment type="image" mime="image/png"><content encoding="base64">iVBORw0KGg</content></attachment>
        </user></turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn><user>
          <attachment type="image" mime="image/png"><content encoding="base64">iVBORw0KGgo=</content></attachment>
        </user></turn></conversation>
        ```
        """,
    "two-contents": """
        ## Why
        Only one of them can be sent, and nobody could say which. An attachment has an address, a content, or neither.

        ## Example
        ```xml
        <conversation><turn><user>
          <attachment type="doc" href="https://example.org/a.txt">The text of it</attachment>
        </user></turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn><user>
          <attachment type="doc" path="https://example.org/a.txt">The text of it</attachment>
        </user></turn></conversation>
        ```
        """,
    "turn-order": """
        ## Why
        The order of the document is what counts. A number that goes back says that somebody meant another order.

        ## Example
        ```xml
        <conversation>
          <turn index="2"><user><text>And tomorrow?</text></user></turn>
          <turn index="1"><user><text>Is it raining?</text></user></turn>
        </conversation>
        ```

        ## Use instead
        ```xml
        <conversation>
          <turn index="1"><user><text>Is it raining?</text></user></turn>
          <turn index="2"><user><text>And tomorrow?</text></user></turn>
        </conversation>
        ```
        """,
    "other-spelling": """
        ## Why
        People read the call, and a provider would get the spelling. It is not sent then.

        ## Example
        ```xml
        <conversation xmlns:x="urn:acdl-mkdocs:pml:1"><turn><assistant>
          <call name="W" id="1" loc="Oslo" x:raw='{"loc":"Rome"}'/>
        </assistant></turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation xmlns:x="urn:acdl-mkdocs:pml:1"><turn><assistant>
          <call name="W" id="1" loc="Oslo" x:raw='{"loc":"Oslo"}'/>
        </assistant></turn></conversation>
        ```
        """,
    "repeated-call-id": """
        ## Why
        A result names the call that it answers by this id, so it would answer both. Providers reject that.

        ## Example
        ```xml
        <conversation><turn><assistant>
          <call name="W" id="1" loc="Oslo"/>
          <call name="W" id="1" loc="Rome"/>
        </assistant></turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn><assistant>
          <call name="W" id="1" loc="Oslo"/>
          <call name="W" id="2" loc="Rome"/>
        </assistant></turn></conversation>
        ```
        """,
    "unanswered-call": """
        Calls at the end of a document wait for their results, which is no problem.

        ## Why
        Providers reject a request in which a call has no result before the next message.

        ## Example
        ```xml
        <conversation>
          <turn><assistant><call name="W" loc="Oslo"/></assistant></turn>
          <turn><user><text>And?</text></user></turn>
        </conversation>
        ```

        ## Use instead
        ```xml
        <conversation>
          <turn><assistant><call name="W" loc="Oslo"/></assistant></turn>
          <turn><tool_output>rain</tool_output><user><text>And?</text></user></turn>
        </conversation>
        ```
        """,
    "result-without-call": """
        Results without an id answer the calls before them in their order; one that no call waits for is a warning. A
        second result with the same id is an error, as the first has answered the call.

        ## Why
        Providers reject a result of nothing, and two results of one call. Often its call was taken out:
        `acdl pml remove` takes both.

        ## Example
        ```xml
        <conversation><turn>
          <tool_output id="7">rain</tool_output>
        </turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn>
          <assistant><call name="W" id="7" loc="Oslo"/></assistant>
          <tool_output id="7">rain</tool_output>
        </turn></conversation>
        ```
        """,
    "repeated-argument": """
        ## Why
        One program would take the first value and another the last: what was checked would not be what is done.

        ## Example
        ```xml
        <conversation><turn><assistant>
          <call name="W" loc="Oslo"><arg key="loc" type="string">Rome</arg></call>
        </assistant></turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn><assistant>
          <call name="W" loc="Rome"/>
        </assistant></turn></conversation>
        ```
        """,
    "repeated-tool": """
        Names and aliases of tools are compared, and keys and aliases of the parameters of a tool.

        ## Why
        A call by that name could mean either.

        ## Example
        ```xml
        <tools>
          <tool name="W" desc="Weather of a place"/>
          <tool name="W" desc="Search of the web"/>
        </tools>
        ```

        ## Use instead
        ```xml
        <tools>
          <tool name="W" desc="Weather of a place"/>
          <tool name="S" desc="Search of the web"/>
        </tools>
        ```
        """,
    "unknown-tool": """
        A warning in a document; an error in the fresh answer of a model, where the model has to be told.

        ## Why
        A call by a mistyped name is never made. A history may rightly have calls of tools that are gone.

        ## Example
        ```xml
        <prompt>
          <tools><tool name="weather"/></tools>
          <conversation><turn><assistant><call name="wether"/></assistant></turn></conversation>
        </prompt>
        ```

        ## Use instead
        ```xml
        <prompt>
          <tools><tool name="weather"/></tools>
          <conversation><turn><assistant><call name="weather"/></assistant></turn></conversation>
        </prompt>
        ```
        """,
    "odd-name": """
        ## Why
        OpenAI, for one, takes names of tools of letters of English, digits, `_` and `-`, at most 64 of them. The long
        name of a tool can be its `alias`.

        ## Example
        ```xml
        <tools><tool name="get weather"/></tools>
        ```

        ## Use instead
        ```xml
        <tools><tool name="get_weather"/></tools>
        ```
        """,
    "empty-message": """
        ## Why
        Providers reject a message without content.

        ## Example
        ```xml
        <conversation><turn><user/></turn></conversation>
        ```

        ## Use instead
        ```xml
        <conversation><turn><user><text>Is it raining?</text></user></turn></conversation>
        ```
        """,
    "unreadable-argument": """
        An attribute of a call is a text, unless `<param>` says that it is a number, a boolean or null: then it is read
        as JSON of that type.

        ## Why
        The tool would be given a text where it expects a number.

        ## Example
        ```xml
        <prompt>
          <tools><tool name="W"><param key="days" type="integer"/></tool></tools>
          <conversation><turn><assistant><call name="W" days="two"/></assistant></turn></conversation>
        </prompt>
        ```

        ## Use instead
        ```xml
        <prompt>
          <tools><tool name="W"><param key="days" type="integer"/></tool></tools>
          <conversation><turn><assistant><call name="W" days="2"/></assistant></turn></conversation>
        </prompt>
        ```
        """,
    "unreadable-parameter": """
        ## Why
        The model would be given a tool that says less than its author meant: any value instead of one of three.

        ## Example
        ```xml
        <tools><tool name="W"><param key="days" type="integer" default="two"/></tool></tools>
        ```

        ## Use instead
        ```xml
        <tools><tool name="W"><param key="days" type="integer" default="2"/></tool></tools>
        ```
        """,
}
"""Problems of contents, of turns, of calls with their results, and of tools."""
