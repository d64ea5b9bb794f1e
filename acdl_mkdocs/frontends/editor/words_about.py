"""A sentence about each word of the language, with a link into the language reference. Only data."""

from typing import NamedTuple

from acdl_mkdocs.language.syntax.nodes import ROLE_WORDS, RoleName

REFERENCE = "reference/language/"
"""The page of the language reference on the documentation site."""


class WordExplanation(NamedTuple):
    """A word and its explanation."""

    sentence: str
    anchor: str
    """The section of the language reference."""
    example: str = ""


KEYWORDS: dict[str, WordExplanation] = {
    "ForEach": WordExplanation(
        "Repeats its body for each element of a range or a list.", "foreach", "ForEach(t: range(1, @T)) { … }"
    ),
    "If": WordExplanation("Its body counts only where the condition holds.", "if", "If (env.is_urgent[@T]) { … }"),
    "ElseIf": WordExplanation("Its body counts where no condition before it holds and this one does.", "if"),
    "Else": WordExplanation("Its body counts where none of the conditions before it holds.", "if"),
    "Switch": WordExplanation(
        "Chooses one of several bodies by a value.", "switch", "Switch sys.mode[@T] { Case search { … } }"
    ),
    "Case": WordExplanation("Its body counts where the value of the `Switch` is this one.", "switch"),
    "Default": WordExplanation("Its body counts where the value of the `Switch` is none of its cases.", "switch"),
    "Mark": WordExplanation(
        "A numbered bracket beside its body, for the text around the figure to refer to.", "marks", "Mark 1 { … }"
    ),
    "StrFrag": WordExplanation("Defines a fragment with pieces of a message.", "strfrag", "StrFrag Facts[@T]: { … }"),
    "RolesFrag": WordExplanation(
        "Defines a fragment with whole messages.", "rolesfrag", "RolesFrag History[@T]: { … }"
    ),
    "RoleFrag": WordExplanation("Defines a fragment with whole messages, as `RolesFrag` does.", "rolesfrag"),
    "Name": WordExplanation(
        "Gives a value a name, which is then written `$name`.", "names", "Name docs := search(env.question[@T])"
    ),
    "PromptEndsHere": WordExplanation(
        "The prompt ends here, always or when a condition holds.", "prompt-ends-here", "PromptEndsHere when t == @T"
    ),
    "Frag": WordExplanation("The body of a fragment stands here.", "fragments", "Frag Facts[@T]"),
    "break": WordExplanation("Leaves the loop around it.", "break"),
    "continue": WordExplanation("Goes on with the next round of the loop around it.", "break"),
    "when": WordExplanation("What follows is the condition of the `PromptEndsHere`.", "prompt-ends-here"),
    "range": WordExplanation(
        "The numbers from one to another, which is left out unless ranges are inclusive.", "ranges", "range(1, @T)"
    ),
    "and": WordExplanation("Both conditions hold.", "conditions"),
    "or": WordExplanation("At least one of the conditions holds.", "conditions"),
    "not": WordExplanation("The condition does not hold.", "conditions"),
    "in": WordExplanation("Between the variable of a loop and what it runs over.", "comprehensions"),
    "for": WordExplanation(
        "Makes a list of a value for each element of another one.", "comprehensions", "[d.title for d in $docs]"
    ),
    "every": WordExplanation("The step of a range.", "ranges"),
    "true": WordExplanation("The condition that always holds.", "conditions"),
    "false": WordExplanation("The condition that never holds.", "conditions"),
    "none": WordExplanation("No value.", "conditions"),
    "null": WordExplanation("No value, as `none`.", "conditions"),
    "empty": WordExplanation("No value, or one with nothing in it.", "conditions"),
    "max": WordExplanation("The largest of its arguments.", "functions", "max(1, @T-5)"),
    "min": WordExplanation("The smallest of its arguments.", "functions", "min(@T, 10)"),
    "Prompt": WordExplanation("Begins a spec; its name alone does that too.", "files"),
    "Namespace": WordExplanation("Says which variables exist; nothing is drawn of it.", "declarations"),
}
"""Words with a fixed meaning, in their documented spelling."""

ROLES: dict[RoleName, str] = {
    "system": "instructions, persona, tools, rules",
    "user": "what comes from outside: questions, observations, results",
    "assistant": "what the model said or did before",
    "tool": "the result of a call of a tool",
    "none": "the whole text of a completion, which has no roles",
}
"""The usual contents of a message of each role."""

MARKERS: dict[RoleName, str] = {role: word[0] for role, word in ROLE_WORDS.items()}
"""The spelling of each role."""

NAMESPACES: dict[str, WordExplanation] = {
    "env": WordExplanation("what comes from outside: what users say, documents, observations", "variables"),
    "sys": WordExplanation("what the program around the model knows and computes", "variables"),
    "resp": WordExplanation("what the model answered before", "variables"),
    "prompt": WordExplanation("the prompt itself: a namespace of an older version", "variables"),
}

PRAGMAS: dict[str, str] = {
    "range": "how ranges of this text are read",
    "use": "the fragments of that file may be used here",
    "allow": "silences rules: on its line; on a line of its own, on the next; before the first definition, everywhere",
}
"""The pragmas of `// acdl: ...`."""


def page_link(base: str, anchor: str, words: str) -> str:
    """Return a Markdown link to a section of the language reference; empty without the address of the documentation."""
    return f"[{words}]({base.rstrip('/')}/{REFERENCE}#{anchor})" if base else ""
