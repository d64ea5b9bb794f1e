"""Texts to measure with: a typical one, and as long or as deep as wanted. The same on every machine."""

TYPICAL = """\
// A tool agent with a replayed history.
ToolAgent[@T.I]: {
    S: {
        INSTRUCTIONS_AND_TOOLS
        sys.profile[@T]
        USER_NAME(sys.user.name, sys.user.language)
    }
    ForEach(t: range(1, @T)) {
        U: env.user_question[@t]
        ForEach(i: range(1, @t.substeps)) {
            A: sys.tool_used[@t.i].name_and_args
            T: sys.tool_used[@t.i].tool_response
        }
        A: resp.answer[@t] // the final answer of the turn
    }
    U: {
        env.user_question[@T]
        If sys.has_documents and not env.is_short {
            DOCUMENTS(retrieve(env.user_question[@T], 5))
        } Else {
            NO_DOCUMENTS
        }
    }
    A: resp.thought[@T.I-1]
}
"""
"""25 lines, in the proportions of `examples/`."""


def renamed(number: int) -> str:
    """The typical spec with other names, so that no two are the same text."""
    return TYPICAL.replace("ToolAgent", f"Agent{number}").replace("user_question", f"question_{number}")


def long(n_lines: int) -> str:
    """At least so many lines of typical specs."""
    return "\n".join(renamed(number) for number in range(n_lines // (TYPICAL.count("\n") + 1) + 1))


def nested(n_levels: int) -> str:
    """One spec with so many blocks inside each other."""
    opened = "".join(f"If sys.flag_{level} {{\n" for level in range(n_levels - 2))
    return f"Deep[@T]: {{\n{opened}U: {{ env.question[@T] }}\n{'}' * (n_levels - 2)}\n}}\n"
