"""What is wrong with calls beside their tools, documented like rules; `pml_problems` says how texts are made."""

from collections.abc import Mapping

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
