"""The tool `explain`: a spec in words, or a rule with its example and cure."""

from acdl_mkdocs.app.explain import explain
from acdl_mkdocs.app.understood import understand_input
from acdl_mkdocs.evaluation.explain import json_tree, text
from acdl_mkdocs.foundation.wording import find_closest
from acdl_mkdocs.frontends.docs.problems import rule_texts
from acdl_mkdocs.frontends.docs.problems.rule_pages import all_names, rule_page
from acdl_mkdocs.frontends.mcp.answers import Answer, CallError, Data, is_small_enough
from acdl_mkdocs.frontends.mcp.arguments import Argument, ToolArguments
from acdl_mkdocs.frontends.mcp.folders import Folders
from acdl_mkdocs.frontends.mcp.schemas import STRING, with_problems
from acdl_mkdocs.frontends.mcp.texts import name_of_text, named_texts, one_text, problem_data, problem_text
from acdl_mkdocs.frontends.mcp.tool import LINES, PATH, RANGE, SPEC, TEXT, Tool

_ABOUT = (
    "Explain a spec in words: which messages it has, when each is sent, what it contains, what grows over time, and "
    "which values a state must give. Or, with `rule`, explain a rule of `check` with an example and its fix."
)


def _run(args: ToolArguments, folders: Folders) -> Answer:
    rule = args.text_of("rule")
    if rule is not None:
        return _explain_rule(rule, args)
    texts, name = named_texts(args, folders)
    chosen = [one_text(texts, name, name_of_text(args))] if name is not None or not texts else texts
    result = explain(map(understand_input, chosen), name)
    document = json_tree.build_objects(result.explanations)
    data: Data = {"rule": "", "explanation": document if is_small_enough(document) else None}
    return Answer(text.write(result.explanations), problem_text(result.errors), data | problem_data(result.errors))


def _explain_rule(name: str, args: ToolArguments) -> Answer:
    if args.text_of("text") is not None or args.text_of("path") is not None:
        raise CallError("`rule` is explained alone", "leave `text` and `path` away")
    names = all_names()
    if name not in names:
        near = find_closest(name, names)
        cure = f"did you mean `{near}`?" if near else "the resource acdl://rules lists them"
        raise CallError(f"there is no rule `{name[:80]}`", cure)
    words = rule_texts.to_text(rule_page(name))
    return Answer(words, data={"rule": name, "explanation": None} | problem_data(()))


TOOL = Tool(
    "explain",
    "Explain an ACDL spec or a rule",
    _ABOUT,
    (
        TEXT,
        PATH,
        SPEC,
        Argument("rule", "name of a rule to explain instead of a spec, such as `nested-role`"),
        RANGE,
        LINES,
    ),
    with_problems({"rule": STRING}, explanation="explanation"),
    _run,
)
