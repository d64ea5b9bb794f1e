"""The parts of the documentation that are made from code and examples, for `test_docs.py`.

A part stands between `<!-- generated: KIND ARGUMENTS -->` and `<!-- end -->`. `regenerated` gives a page with all its
parts made anew; pages and parts are equal, or the documentation is out of date.
"""

import ast
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Literal, get_args, get_origin, get_type_hints

import agent_docs
import command_docs
import example_docs
import grammar_docs
import infer_docs
import module_docs
import pml_docs
import written_indexes
from hosts import follow
from hosts.rows import ROWS as HOSTS
from hosts.run import RESULTS as HOST_RESULTS
from hosts.sites import CHECKS as HOST_CHECKS
from refused_words import REFUSED_PHRASES

from acdl_mkdocs.foundation.config import Config
from acdl_mkdocs.foundation.reports import REPORTS, ReportOptions
from acdl_mkdocs.foundation.source import Source
from acdl_mkdocs.frontends.docs.blocks import diff_options, gallery_options, inspect_options, xml_fence
from acdl_mkdocs.frontends.docs.mkdocs import config
from acdl_mkdocs.frontends.docs.pages.specs_json import specs_json
from acdl_mkdocs.frontends.lsp.session import SETTINGS
from acdl_mkdocs.frontends.mcp.resources import RESOURCES, TEMPLATES
from acdl_mkdocs.frontends.mcp.tools import TOOLS
from acdl_mkdocs.language.analyse import analyse
from acdl_mkdocs.playbook.pages import block as playbook_options
from acdl_mkdocs.workspace import options
from fuzz.ledger import table as fuzz_table
from supply.page import table as dependency_table

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "benchmarks"))

import pages  # noqa: E402
import tokens  # noqa: E402

NONE = "–"
"""What a cell of a table has that would be empty."""
_PART = re.compile(r"(?<!\+)(<!-- generated: (?P<kind>\S+)(?: (?P<words>[^>\n]*?))? -->\n).*?(<!-- end -->)", re.DOTALL)


def regenerated(page: str) -> str:
    """The text of a page with every generated part made anew."""

    def part(found: re.Match[str]) -> str:
        return f"{found[1]}\n{PARTS[found['kind']](page, found['words'] or '').strip()}\n\n{found[4]}"

    return _PART.sub(part, page)


def fence_text(page: str, title: str) -> str:
    """The text of the fence with that title."""
    found = re.search(rf'^(`{{3,}})\w+ title="{re.escape(title)}"\n(.*?)^\1$', page, re.DOTALL | re.MULTILINE)
    assert found, f'no fence has title="{title}"'
    return found[2]


def option_docs(module: ModuleType, name: str) -> dict[str, str]:
    """The docstrings of the fields of a class, which Python itself does not keep."""
    tree = ast.parse(inspect.getsource(module))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    docs = {}
    for field, doc in pairwise(body):
        target = (
            field.target
            if isinstance(field, ast.AnnAssign)
            else field.targets[0]
            if isinstance(field, ast.Assign)
            else None
        )
        if isinstance(target, ast.Name) and isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant):
            docs[target.id] = inspect.cleandoc(str(doc.value.value)).replace("\n", " ")
    return docs


def _usage(page: str, words: str) -> str:
    del page
    return command_docs.usage(words)


def _options(page: str, words: str) -> str:
    del page
    return command_docs.options(words)


def _common_options(page: str, words: str) -> str:
    del page, words
    return command_docs.common_options()


def _commands(page: str, words: str) -> str:
    del page, words
    return command_docs.commands()


def _refused_words(page: str, words: str) -> str:
    """The words that `test_words.py` refuses."""
    del page, words
    return _table(("instead of", "write"), [*REFUSED_PHRASES.items()])


def _block_options(page: str, words: str) -> str:
    del page, words
    return _options_table(options, options.BlockOptions())


def _gallery_options(page: str, words: str) -> str:
    del page, words
    return _options_table(gallery_options, gallery_options.GalleryOptions())


def _diff_options(page: str, words: str) -> str:
    del page, words
    return _options_table(diff_options, diff_options.DiffOptions())


def _playbook_options(page: str, words: str) -> str:
    del page, words
    return _options_table(playbook_options, playbook_options.PlaybookOptions())


def _xml_options(page: str, words: str) -> str:
    del page, words
    return _options_table(xml_fence, xml_fence.XmlOptions())


def _options_table(module: ModuleType, defaults: object) -> str:
    """The options that a header may give: the fields of a class, most of which are called like them."""
    hints, docs = get_type_hints(type(defaults)), option_docs(module, type(defaults).__name__)
    written = {"classes": ".name", "source": "from"}
    rows = [
        (f"`{written.get(name, name)}`", _values(hints[name]), _value(getattr(defaults, name)), docs[name])
        for name in hints
    ]
    return _table(("option", "values", "default", "meaning"), rows)


def _values(hint: object) -> str:
    """What a person writes for a value of a type."""
    if get_origin(hint) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(hint))
    known = {
        str: "text",
        bool: "`on`, `off`",
        bool | None: "`on`, `off`",
        int: "a number",
        int | None: "a number",
        float | None: "a number",
        tuple[str, ...]: "any number of them",
    }
    return known[hint]  # type: ignore[index]  # an unknown type has to fail here


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "`on`" if value else "`off`"
    return f"`{value}`" if value else ""


def _plugin_options(page: str, words: str) -> str:
    del page, words
    return _table(
        ("option", "meaning"),
        [(f"`{name}`", doc) for name, doc in option_docs(config, "AcdlConfig").items()],
    )


def _grammar(page: str, words: str) -> str:
    del page, words
    return f"```text\n{grammar_docs.summary()}\n```"


def _terminal(page: str, words: str) -> str:
    """The terminal text about a fence of the page."""
    return f"```text\n{_report(page, words, 'terminal')}```"


def _panel(page: str, words: str) -> str:
    """What a page shows in the place of a broken figure."""
    return f'<figure class="acdl">{_report(page, words, "html", is_snippet=True, severities=("error",))}</figure>'


def _log(page: str, words: str) -> str:
    """The lines of the build log: arguments are the title of the fence, then file and line of the block."""
    title, name, line = words.split()
    return f"```text\n{_report(page, title, 'line', name=name, line=int(line) + 1, is_snippet=True)}```"


def _form(page: str, words: str) -> str:
    """A report about a fence of the page: arguments are the form and the title of the fence."""
    form, title = words.split()
    language = "json" if form in ("json", "sarif") else "text"
    return f"```{language}\n{_report(page, title, form)}```"


def _report(
    page: str,
    title: str,
    form: str,
    *,
    name: str = "",
    line: int = 1,
    is_snippet: bool = False,
    severities: tuple[str, ...] = ("error", "warning", "note"),
) -> str:
    source = Source(fence_text(page, title), name or title, line)
    diagnostics = analyse(source, Config(snippet=is_snippet)).diagnostics
    found = [each for each in diagnostics if each.severity in severities]
    assert found, f"nothing is wrong with {title}"
    return REPORTS[form](
        found, source, ReportOptions(rule_url="../../reference/rules/{rule}/" if form == "html" else "")
    )


def _specs_json(page: str, words: str) -> str:
    """The `specs.json` of a site that has only a fence of the page, indented."""
    spec_index = written_indexes.index_of({words: fence_text(page, words)})
    document = json.loads(specs_json(spec_index, "https://example.org/docs/"))
    return f"```json\n{json.dumps(document, indent=1, ensure_ascii=False)}\n```"


def _specs_schema(page: str, words: str) -> str:
    """The keys of a part of `specs.json`: those of the document, or of a definition of its schema."""
    del page
    schema = json.loads((ROOT / "acdl_mkdocs" / "assets" / "specs.schema.json").read_text("utf-8"))
    properties = (schema["$defs"][words] if words else schema)["properties"]
    return _table(("key", "meaning"), [(f"`{name}`", each["description"]) for name, each in properties.items()])


def _state_schema(page: str, words: str) -> str:
    """The keys at the top of a state file."""
    del page, words
    schema = json.loads((ROOT / "acdl_mkdocs" / "assets" / "state.schema.json").read_text("utf-8"))
    return _table(
        ("key", "meaning"), [(f"`{name}`", each["description"]) for name, each in schema["properties"].items()]
    )


def _replies_schema(page: str, words: str) -> str:
    """The keys of a part of a script for `acdl record --script`: `reply`, or a key of it that has keys itself."""
    del page
    schema = json.loads((ROOT / "acdl_mkdocs" / "assets" / "replies.schema.json").read_text("utf-8"))
    found = schema["$defs"]["reply"]["properties"]
    properties = found if words == "reply" else found[words].get("items", found[words])["properties"]
    return _table(("key", "meaning"), [(f"`{name}`", each["description"]) for name, each in properties.items()])


def _transcript_schema(page: str, words: str) -> str:
    """The keys of what `acdl unroll --format json` writes, or of a part of it."""
    del page
    schema = json.loads((ROOT / "acdl_mkdocs" / "assets" / "transcript.schema.json").read_text("utf-8"))
    properties = (schema["$defs"][words] if words else schema["oneOf"][0])["properties"]
    return _table(("key", "meaning"), [(f"`{name}`", each.get("description", "")) for name, each in properties.items()])


def _schema_keys(name: str, page: str, words: str) -> str:
    """The keys of what a command writes as JSON, or of a part of it."""
    del page
    schema = json.loads((ROOT / "acdl_mkdocs" / "assets" / f"{name}.schema.json").read_text("utf-8"))
    properties = (schema["$defs"][words] if words else schema)["properties"]
    return _table(("key", "meaning"), [(f"`{name}`", each.get("description", "")) for name, each in properties.items()])


def _costs(rows: Callable[[], list[tuple[str, str]]], page: str, words: str) -> str:
    """The cost model of inference."""
    del page, words
    return _table(("cost", "of"), rows())


def _inspect_schema(page: str, words: str) -> str:
    """The keys of what `acdl inspect --format json` writes, or of a part of it."""
    del page
    schema = json.loads((ROOT / "acdl_mkdocs" / "assets" / "inspect.schema.json").read_text("utf-8"))
    properties = (schema["$defs"][words] if words else schema)["properties"]
    described = (
        (name, schema["$defs"][each["$ref"].rpartition("/")[2]] if "$ref" in each else each)
        for name, each in properties.items()
    )
    return _table(("key", "meaning"), [(f"`{name}`", each.get("description", "")) for name, each in described])


def _inspect_options(page: str, words: str) -> str:
    """The options of the fence `acdl-inspect`."""
    del page, words
    return _options_table(inspect_options, inspect_options.InspectBlockOptions())


def _mcp_tools(page: str, words: str) -> str:
    """The tools of `acdl mcp`."""
    del page, words
    rows = [(f"`{tool.name}`", tool.about, ", ".join(f"`{each.name}`" for each in tool.arguments)) for tool in TOOLS]
    return _table(("tool", "for the agent", "arguments"), rows)


def _mcp_resources(page: str, words: str) -> str:
    """What agents can read from `acdl mcp`."""
    del page, words
    return _table(("address", "content"), [(f"`{each.uri}`", each.about) for each in (*RESOURCES, *TEMPLATES)])


def _editor_settings(page: str, words: str) -> str:
    """The settings of the language server."""
    del page, words
    rows = []
    for each in SETTINGS:
        values = ", ".join(f"`{choice}`" for choice in each.choices) or f"a {each.kind}"
        default = str(each.default).lower() if isinstance(each.default, bool) else str(each.default)
        rows.append((f"`acdl.{each.name}`", values, f"`{default}`" if default else "none", each.description))
    return _table(("setting", "values", "default", "what it does"), rows)


def _printed(command: str, page: str, words: str) -> str:
    """What a command prints that ends well; one of playbooks may find something."""
    del page
    run = [sys.executable, "-m", "acdl_mkdocs", command, *words.split()]
    ran = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0 or (command, ran.returncode) == ("playbook", 1), ran.stderr
    return f"```text\n{ran.stdout}```"


def _tokens(page: str, words: str) -> str:
    """A table of what `make bench-tokens` counts."""
    del page
    return tokens.PAGES[words]()


def _dependencies(page: str, words: str) -> str:
    """A table of what metadata says of dependencies."""
    del page
    return dependency_table(words)


def _bench(page: str, words: str) -> str:
    """A table of results of `make bench`, or a sentence about them."""
    del page
    return pages.part(words, pages.load())


def _hosts(page: str, words: str) -> str:
    """The table of what `make hosts` has found."""
    del page, words
    results = json.loads(HOST_RESULTS.read_text("utf-8"))
    lines = ["| used with | tested version | works | what to do |", "| --- | --- | --- | --- |"]
    for row in HOSTS:
        versions = ", ".join(dict.fromkeys(results[row.name]["versions"].values()))
        works = "yes" if not row.known else f"yes, except that {'; '.join(row.known.values())}"
        lines.append(f"| {row.title} | {versions} | {works} | {row.how} |")
    return "\n".join([*lines, "", "The checks:", "", *(f"- {words}" for words in HOST_CHECKS.values())])


def _hosts_followed(page: str, words: str) -> str:
    """The table of what `make hosts-followed` has found."""
    del page, words
    results = json.loads(follow.RESULTS.read_text("utf-8"))
    rows = [
        (
            host.title,
            ", ".join(f"{package} {version}" for package, version in results[name]["versions"].items()),
            *("no" if {check, "steps"} & set(results[name]["failed"]) else "yes" for check in follow.COLUMNS),
        )
        for name, host in follow.HOSTS.items()
    ]
    meaning = (f"- {name}: {follow.CHECKS[check]}" for check, name in follow.COLUMNS.items())
    return "\n".join([_table(("page", "tested with", *follow.COLUMNS.values()), rows), "", *meaning])


def _ran(page: str, words: str) -> str:
    """A command and what it prints."""
    del page
    command = [sys.executable, "-m", "acdl_mkdocs", *shlex.split(words)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode in (0, 1), ran.stderr
    return f"```text\n$ acdl {words}\n{ran.stdout.rstrip()}\n{ran.stderr}".rstrip() + "\n```"


def _agent(page: str, words: str) -> str:
    del page
    return agent_docs.recording(words)


def _agent_mistakes(page: str, words: str) -> str:
    del page, words
    return agent_docs.mistakes()


def _agent_mistake(page: str, words: str) -> str:
    del page
    return agent_docs.mistake(words)


def _fuzz(page: str, words: str) -> str:
    """What each target of fuzzing promises, and what was done."""
    del page, words
    return fuzz_table()


def _pml_elements(page: str, words: str) -> str:
    del page, words
    return pml_docs.elements()


def _pml_repairs(page: str, words: str) -> str:
    del page, words
    return pml_docs.repairs()


def _session(page: str, words: str) -> str:
    """What the commands of a session print, run in a folder that has the files of the page."""
    del words
    return f"```text\n{''.join(ran_session(page)).rstrip()}\n```"


def ran_session(page: str) -> list[str]:
    """Run the lines of the fence `sh title="In a terminal"` of a page in a new folder; each with what it printed."""
    printed = []
    with tempfile.TemporaryDirectory() as folder:
        for found in re.finditer(r'^```\w+ title="([\w.-]+\.\w+)"\n(.*?)^```$', page, re.DOTALL | re.MULTILINE):
            (Path(folder) / found[1]).write_text(found[2], "utf-8")
        for line in fence_text(page, "In a terminal").splitlines():
            command = [sys.executable, "-m", "acdl_mkdocs", *line.split()[1:]]
            environment = {**os.environ, "SOURCE_DATE_EPOCH": "1795305600"}
            ran = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, encoding="utf-8", env=environment, check=True
            )
            printed.append(f"$ {line}\n{ran.stdout}\n")
    return printed


def _example(page: str, words: str) -> str:
    del page
    return example_docs.example(words)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join((cell or NONE).replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _merging(page: str, words: str) -> str:
    """What `benchmarks/merging.py` measured: `lists` of labelled pairs, or what merging by a score does."""
    del page
    numbers = json.loads((ROOT / "acdl_mkdocs" / "assets" / "merging.json").read_text("utf-8"))
    measures = numbers["measures"]
    if words == "scores":
        rows = [
            (
                f"{float(score):.2f}",
                *(str(count) for each in measures.values() for count in each["merge_similar"][score]),
            )
            for score in measures["ngrams"]["merge_similar"]
        ]
        sides = [f"`{name}`: {what}" for name in measures for what in ("wrongly merged", "rightly merged")]
        return _table(("`merge_similar`", *sides), rows)
    lists = measures[words]["lists"]
    keys = ("lessons", "same", "different", "proposed", "asked", "merged_same", "merged_different")
    alone = {name: [str(count) for count in counts] for name, counts in numbers["curator"].items()}
    rows = [(f"`{name}`", *alone[name], *(str(each[key]) for key in keys)) for name, each in lists.items()]
    total = [sum(int(row[at]) for row in rows) for at in range(1, len(rows[0]))]
    heads = ("curator: wrong", "right", "lessons", "same", "different", "proposed", "asked", "judged: right", "wrong")
    return _table(("pairs", *heads), [*rows, ("all", *map(str, total))])


def _embedded_hosts(page: str, words: str) -> str:
    """What `tests/hosts/embedded.py` built pages of `acdl embed` with."""
    del page, words
    results = json.loads((ROOT / "tests" / "hosts" / "embedded.json").read_text("utf-8"))
    rows = [
        (each["title"], ", ".join(f"`{name}`" for name in each["versions"]), "works" if each["works"] else "fails")
        for each in results.values()
    ]
    return _table(("tool", "packages", "result"), rows)


PARTS: dict[str, Callable[[str, str], str]] = {
    "usage": _usage,
    "options": _options,
    "common-options": _common_options,
    "commands": _commands,
    "refused-words": _refused_words,
    "embedded-hosts": _embedded_hosts,
    "mcp-tools": _mcp_tools,
    "mcp-resources": _mcp_resources,
    "block-options": _block_options,
    "gallery-options": _gallery_options,
    "diff-options": _diff_options,
    "playbook-options": _playbook_options,
    "merging": _merging,
    "xml-options": _xml_options,
    "plugin-options": _plugin_options,
    "grammar": _grammar,
    "terminal": _terminal,
    "panel": _panel,
    "log": _log,
    "report": _form,
    "specs-json": _specs_json,
    "specs-schema": _specs_schema,
    "replies-schema": _replies_schema,
    "state-schema": _state_schema,
    "transcript-schema": _transcript_schema,
    "diff-schema": partial(_schema_keys, "diff"),
    "check-run-schema": partial(_schema_keys, "check-run"),
    "infer-schema": partial(_schema_keys, "infer"),
    "inferred": partial(infer_docs.inferred_part, fence_text),
    "refined": partial(infer_docs.refined_part, fence_text),
    "condition-costs": partial(_costs, infer_docs.condition_rows),
    "spec-costs": partial(_costs, infer_docs.cost_rows),
    "inspect-schema": _inspect_schema,
    "inspect-options": _inspect_options,
    "editor-settings": _editor_settings,
    "unroll": partial(_printed, "unroll"),
    "playbook": partial(_printed, "playbook"),
    "session": _session,
    "ran": _ran,
    "agent": _agent,
    "agent-mistakes": _agent_mistakes,
    "agent-mistake": _agent_mistake,
    "fuzz": _fuzz,
    "pml-elements": _pml_elements,
    "pml-repairs": _pml_repairs,
    "counted": partial(_printed, "tokens"),
    "tokens": _tokens,
    "bench": _bench,
    "dependencies": _dependencies,
    "hosts": _hosts,
    "hosts-followed": _hosts_followed,
    "example": _example,
    "modules": module_docs.modules_part,
}
"""Kind of part to the function that makes it from the page and the words after the kind."""
