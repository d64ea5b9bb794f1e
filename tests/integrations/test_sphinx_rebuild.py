"""Builds after the first one: only pages that look different are written, and nothing old is left."""

from integrations.sphinx_project import CHAT, Built, Project

GREETING = "StrFrag Greeting[@t]: { HELLO }\n"


def page(title: str, *blocks: str) -> str:
    """A page with blocks."""
    return f"# {title}\n\n" + "\n\n".join(f"```acdl\n{block}```" for block in blocks) + "\n"


def started(project: Project, *arguments: str) -> Built:
    """The first build of four pages, of which one uses a fragment of another."""
    project.write("index.md", "# Home\n\n```{toctree}\nuses\ndefines\nalone\n```\n")
    project.write("uses.md", page("Uses", "U: { Frag Greeting[@T] }\n"))
    project.write("defines.md", page("Defines", GREETING))
    project.write("alone.md", page("Alone", CHAT))
    result = project.build("html", "-W", *arguments)
    assert result.code == 0, result.warned
    assert 'href="defines.html#Greeting"' in result.read("uses.html")
    return result


def test_nothing_has_changed(project: Project) -> None:
    """Then nothing is written."""
    started(project)
    assert project.build("html", "-W").written == []


def test_other_text_of_a_page(project: Project) -> None:
    """Prose concerns its own page only."""
    started(project)
    project.write("defines.md", page("Defines", GREETING) + "\nMore.\n")
    assert project.build("html", "-W").written == ["defines", "index"]


def test_fragment_has_changed(project: Project) -> None:
    """A page that uses a fragment is written again when its definition changes, moves or goes."""
    started(project)
    project.write("defines.md", page("Defines", "StrFrag Greeting[@t]: { GOOD_EVENING }\n"))
    assert project.build("html", "-W").written == ["defines", "index", "uses"]
    project.write("defines.md", page("Defines", CHAT.replace("Chat", "Other")))
    project.write("alone.md", page("Alone", CHAT, GREETING))
    moved = project.build("html", "-W")
    assert moved.written == ["alone", "defines", "index", "uses"]
    assert 'href="alone.html#Greeting"' in moved.read("uses.html")
    project.write("alone.md", page("Alone", CHAT))
    gone = project.build("html", "-W")
    assert gone.code == 1
    assert "uses.md:4:11: WARNING: no fragment named `Greeting`; define" in gone.warned


def test_page_is_gone(project: Project) -> None:
    """A page that is deleted takes its definitions with it."""
    started(project)
    (project.folder / "defines.md").unlink()
    project.write("index.md", "# Home\n\n```{toctree}\nuses\nalone\n```\n")
    result = project.build()
    assert "no fragment named `Greeting`" in result.warned
    assert "Greeting" not in result.read("genindex.html")


def test_file_has_changed(project: Project) -> None:
    """A page is written again when the file that it shows changes, appears or goes."""
    started(project)
    project.write("alone.md", "# Alone\n\n```acdl src=specs/chat.acdl\n```\n")
    assert "missing-src" in project.build().warned
    project.write("specs/chat.acdl", CHAT)
    appeared = project.build("html", "-W")
    assert (appeared.code, appeared.warned) == (0, "")
    assert ">env.question" in appeared.read("alone.html")
    assert project.build().written == []
    project.write("specs/chat.acdl", CHAT.replace("question", "other"))
    assert ">env.other" in project.build("html", "-W").read("alone.html")
    (project.folder / "specs" / "chat.acdl").unlink()
    assert "missing-src" in project.build().warned


RUN = '{"messages": [{"role": "user", "content": "Why?"}]}\n'


def test_recordings_of_a_pattern_have_changed(project: Project) -> None:
    """A page is written again when a recording or a file beside the only one appears or goes."""
    started(project)
    project.write("runs/a.run.jsonl", RUN)
    project.write("alone.md", '# Alone\n\n```acdl runs="runs/*.jsonl"\n' + CHAT + "```\n")
    project.build()
    project.write("runs/a.run.manifest.json", "[]")
    assert "a.run.manifest.json" in project.build().warned
    (project.folder / "runs" / "a.run.manifest.json").unlink()
    assert project.build().warned == ""
    project.write("runs/b.run.jsonl", RUN)
    assert "runs/b.run.jsonl" in project.build().read("alone.html")
    (project.folder / "runs" / "b.run.jsonl").unlink()
    assert "runs/b.run.jsonl" not in project.build().read("alone.html")


def test_settings_have_changed(project: Project) -> None:
    """All pages are made anew when a setting changes."""
    started(project)
    project.conf('acdl = {"show": "figure"}')
    assert project.build("html", "-W").written == ["alone", "defines", "index", "uses"]


def test_several_processes(project: Project) -> None:
    """Pages that other processes read are known to all, in the first build and after it."""
    for idx in range(12):
        project.write(f"page{idx}.md", page(f"Page {idx}", f"U: {{ Frag Greeting[@T] env.x{idx}[@T] }}\n"))
    names = "\n".join(f"page{idx}" for idx in range(12))
    project.write("index.md", f"# Home\n\n```{{toctree}}\n{names}\ndefines\n```\n")
    project.write("defines.md", page("Defines", GREETING))
    first = project.build("html", "-W", "-j", "2")
    assert (first.code, first.warned) == (0, "")
    assert all('href="defines.html#Greeting"' in first.read(f"page{idx}.html") for idx in range(12))
    project.write("defines.md", page("Defines", GREETING.replace("HELLO", "GOOD_DAY")))
    pages = {name: first.out / f"{name}.html" for name in ("page3", "page11", "genindex")}
    before = {name: path.stat().st_mtime_ns for name, path in pages.items()}
    again = project.build("html", "-W", "-j", "2")
    assert (again.code, again.warned) == (0, "")
    assert [name for name, path in pages.items() if path.stat().st_mtime_ns == before[name]] == []
    assert project.build("html", "-W", "-j", "2").written == []
