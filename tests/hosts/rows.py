"""The rows: one entry of data for each docs tool, plugin or theme, or for several that are used together."""

import json

import yaml

from hosts.sites import ACDL, AGENTS, BROKEN, CONFIG, FILED, HOME, Row

_MATERIAL = "mkdocs-material"


def _post(number: int) -> str:
    """A post of a blog: an excerpt with a figure and more figures behind it; all have `Asked`."""
    return (
        f"---\ndate: 2025-01-0{number}\ncategories: [Agents]\n---\n# Post {number}\n\nSee [[acdl:Start]].\n\n"
        f"```acdl\nAsked[@T]: {{ S: RULES{number}  U: {{ Frag Facts{number}[@T] env.question[@T] }} }}\n```\n\n"
        "<!-- more -->\n\n"
        f"```acdl\nStrFrag Facts{number}[@t]: {{ sys.profile[@t] }}\n```\n\n"
        f"```acdl\nPosted{number}[@T]: {{ S: RULES  U: env.question[@T] }}\n```\n"
    )


ROWS: tuple[Row, ...] = (
    Row(
        "material",
        "[Material](https://squidfunk.github.io/mkdocs-material/)",
        "Nothing to do: figures follow the palette.",
        (_MATERIAL,),
    ),
    Row(
        "material-blog",
        "its plugins `blog` and `tags`",
        "Nothing to do: posts are part of the library, and a figure in an excerpt leads to its post.",
        (_MATERIAL,),
        plugins=("search", "blog", "tags", ACDL),
        files={
            "docs/index.md": HOME.replace("[[acdl:Filed]]", "[[acdl:Posted2]]"),
            "docs/blog/index.md": "# Blog\n",
            **{f"docs/blog/posts/{number}.md": _post(number) for number in (1, 2, 3)},
        },
        figures={
            "blog/index.html": 3,
            "blog/archive/2025/index.html": 3,
            "blog/category/agents/index.html": 3,
            "blog/2025/01/02/post-2/index.html": 3,
        },
        broken=("docs/blog/posts/4.md", f"---\ndate: 2025-01-04\n---\n{BROKEN}\n<!-- more -->\n\nMore.\n"),
    ),
    Row(
        "print-site",
        "`mkdocs-print-site-plugin`",
        "List `print-site` last, as it asks for.",
        ("mkdocs-print-site-plugin",),
        plugins=("search", ACDL, "print-site"),
        figures={"print_page/index.html": 4},
    ),
    Row(
        "material-projects",
        "its plugin `projects`",
        "Each project lists `acdl` with a library of its own.",
        (_MATERIAL,),
        plugins=("search", ACDL, "projects"),
        files={
            "projects/sub/mkdocs.yml": yaml.safe_dump(
                {
                    "site_name": "Sub",
                    "theme": {"name": "material"},
                    "plugins": ["search", ACDL],
                    "validation": CONFIG["validation"],
                }
            ),
            "projects/sub/docs/index.md": "# Sub\n\nSee [[acdl:Inner]].\n",
            "projects/sub/specs/inner.acdl": FILED.replace("Filed", "Inner"),
        },
        figures={"sub/specs/Inner/index.html": 1},
        checked=("docs", "specs", "projects"),
    ),
    Row(
        "material-others",
        "its plugins `search`, `meta`, `offline`, `info` and `group`, instant navigation",
        "Nothing to do.",
        (_MATERIAL,),
        plugins=("search", "meta", "offline", ACDL),
        config={
            "theme": {"name": "material", "features": ["navigation.instant", "navigation.indexes", "toc.integrate"]}
        },
        figures={
            "index.html": 1,
            "agents.html": 2,
            "specs/Filed.html": 1,
            "agents/index.html": 0,
            "specs/Filed/index.html": 0,
        },
    ),
    Row(
        "autorefs",
        "`mkdocs-autorefs`",
        "`[Chat][]` leads to a spec, a fragment or a mark, also on the home page.",
        ("mkdocs-autorefs",),
        plugins=("search", "autorefs", ACDL),
        files={
            "docs/agents.md": AGENTS + "\n[Start][], [Filed][], [Chat][acdl:Chat], [asked][Chat-mark-1].\n",
            "docs/index.md": HOME + "\n[Start][], [Greeting][] and [Filed][].\n",
        },
    ),
    Row(
        "literate-nav",
        "`mkdocs-literate-nav`, `mkdocs-section-index`",
        "Name `specs/` in `SUMMARY.md`, as any other folder.",
        ("mkdocs-literate-nav", "mkdocs-section-index"),
        plugins=("search", "literate-nav", "section-index", ACDL),
        config={"exclude_docs": "SUMMARY.md"},
        files={"docs/SUMMARY.md": "* [Home](index.md)\n* [Agents](agents.md)\n* [Specs](specs/)\n"},
    ),
    Row(
        "awesome-nav",
        "`mkdocs-awesome-nav`",
        "Name `specs` in `.nav.yml`, as any other folder.",
        ("mkdocs-awesome-nav",),
        plugins=("search", "awesome-nav", ACDL),
        files={"docs/.nav.yml": "nav:\n  - index.md\n  - agents.md\n  - Library: specs\n"},
    ),
    Row(
        "gen-files",
        "`mkdocs-gen-files`",
        "Nothing to do: blocks of generated pages are like any other.",
        ("mkdocs-gen-files",),
        plugins=("search", {"gen-files": {"scripts": ["make.py"]}}, ACDL),
        files={
            "make.py": "import mkdocs_gen_files\n"
            "with mkdocs_gen_files.open('made.md', 'w') as page:\n"
            "    page.write('# Made\\n\\nSee [[acdl:Start]].\\n\\n```acdl\\nMade[@T]: { U: { Frag Greeting[@T] } }\\n```\\n')\n",
        },
        figures={"made/index.html": 1},
    ),
    Row(
        "elsewhere",
        "a configuration elsewhere: `config/mkdocs.prod.yml`, `docs_dir: ../docs`",
        "Paths of specs and of `src` begin at the project's folder; `root` names another.",
        ("mkdocs",),
        plugins=("search", ACDL),
        config_file="config/mkdocs.prod.yml",
        config={"docs_dir": "../docs", "site_dir": "../site", "theme": {"name": "mkdocs"}},
        command=("mkdocs", "build", "--strict", "--clean", "--config-file", "config/mkdocs.prod.yml"),
        files={
            "pyproject.toml": "[project]\nname = 'agents'\n",
            "docs/shown.md": '# Shown\n\n```acdl src="specs/filed.acdl"\n```\n',
        },
        figures={"shown/index.html": 1},
    ),
    Row(
        "root",
        "the same with `root`, for a part of a repository",
        "`root: ..` in the options of `acdl`, and `root = true` in `acdl.toml` there.",
        ("mkdocs",),
        plugins=("search", {"acdl": {"specs": ["specs"], "root": "../lib"}}),
        config_file="config/mkdocs.prod.yml",
        config={"docs_dir": "../lib/docs", "site_dir": "../site", "theme": {"name": "mkdocs"}},
        command=("mkdocs", "build", "--strict", "--clean", "--config-file", "config/mkdocs.prod.yml"),
        files={
            "pyproject.toml": "[project]\nname = 'agents'\n",
            "lib/acdl.toml": "root = true\n",
            "lib/docs/index.md": HOME,
            "lib/docs/agents.md": AGENTS,
            "lib/specs/filed.acdl": FILED,
            "docs/index.md": None,
            "docs/agents.md": None,
            "specs/filed.acdl": None,
            "lib/docs/shown.md": '# Shown\n\n```acdl src="specs/filed.acdl"\n```\n',
        },
        figures={"shown/index.html": 1},
        broken=("lib/docs/broken.md", BROKEN),
        project="lib",
    ),
    Row(
        "monorepo",
        "`mkdocs-monorepo-plugin`",
        "`src` of a page begins at the folder of its own project, that with its `mkdocs.yml`.",
        ("mkdocs-monorepo-plugin",),
        plugins=("search", "monorepo", ACDL),
        config={
            "nav": [
                {"Home": "index.md"},
                {"Agents": "agents.md"},
                {"Broken": "broken.md"},
                {"Part": "!include ./parts/a/mkdocs.yml"},
            ]
        },
        files={
            "docs/broken.md": "# Nothing\n",
            "parts/a/mkdocs.yml": "site_name: a\nnav:\n  - Part: index.md\n",
            "parts/a/docs/index.md": '# Part\n\nSee [[acdl:Start]].\n\n```acdl src="specs/part.acdl"\n```\n',
            "parts/a/specs/part.acdl": FILED.replace("Filed", "Part"),
        },
        figures={"a/index.html": 1},
        broken=("parts/a/docs/index.md", BROKEN),
        checked=("docs", "specs", "parts"),
    ),
    Row(
        "redirects",
        "`mkdocs-redirects`",
        "Nothing to do.",
        ("mkdocs-redirects",),
        plugins=("search", {"redirects": {"redirect_maps": {"old.md": "agents.md"}}}, ACDL),
    ),
    Row(
        "include-markdown",
        "`mkdocs-include-markdown-plugin`",
        "Nothing to do: an included block is drawn on the page that includes it.",
        ("mkdocs-include-markdown-plugin",),
        plugins=("search", "include-markdown", ACDL),
        files={
            "parts/more.md": "```acdl\nMore[@T]: { U: { Frag Greeting[@T] } }\n```\n",
            "docs/more.md": '# More\n\n{% include-markdown "../parts/more.md" %}\n',
        },
        figures={"more/index.html": 1},
    ),
    Row(
        "macros",
        "`mkdocs-macros-plugin`",
        "Nothing to do: macros are expanded before blocks are drawn.",
        ("mkdocs-macros-plugin",),
        plugins=("search", "macros", ACDL),
        config={"extra": {"rules": "RULES"}},
        files={"docs/more.md": "# More\n\n```acdl\nMore[@T]: { S: {{ rules }} U: { Frag Greeting[@T] } }\n```\n"},
        figures={"more/index.html": 1},
    ),
    Row(
        "i18n",
        "`mkdocs-static-i18n`",
        "Nothing to do: each language has a library of its own.",
        ("mkdocs-static-i18n",),
        plugins=(
            "search",
            {
                "i18n": {
                    "docs_structure": "suffix",
                    "languages": [
                        {"locale": "en", "name": "English", "build": True, "default": True},
                        {"locale": "fr", "name": "Français", "build": True},
                    ],
                }
            },
            ACDL,
        ),
        files={"docs/index.fr.md": HOME.replace("# Home", "# Accueil")},
        figures={"fr/index.html": 1},
    ),
    Row(
        "mike", "`mike`", "Nothing to do: each version has its own specs.", ("mike",), plugins=("search", "mike", ACDL)
    ),
    Row(
        "git-revision-date-localized",
        "`mkdocs-git-revision-date-localized-plugin`",
        "Nothing to do.",
        ("mkdocs-git-revision-date-localized-plugin",),
        plugins=("search", ACDL, {"git-revision-date-localized": {"fallback_to_build_date": True, "strict": False}}),
        before=(
            ("git", "init", "-q"),
            ("git", "add", "."),
            ("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "a"),
        ),
    ),
    Row(
        "minify",
        "`mkdocs-minify-plugin`",
        "Nothing to do.",
        ("mkdocs-minify-plugin",),
        plugins=("search", ACDL, {"minify": {"minify_html": True}}),
    ),
    Row(
        "htmlproofer",
        "`mkdocs-htmlproofer-plugin`",
        "Nothing to do: it finds no dead link of a figure.",
        ("mkdocs-htmlproofer-plugin",),
        plugins=("search", ACDL, {"htmlproofer": {"raise_error": True, "validate_external_urls": False}}),
    ),
    Row(
        "jupyter",
        "`mkdocs-jupyter`",
        "Blocks in Markdown cells of notebooks are not drawn by it.",
        ("mkdocs-jupyter",),
        plugins=("search", "mkdocs-jupyter", ACDL),
        files={
            "docs/book.ipynb": json.dumps(
                {
                    "cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# Book\n"]}],
                    "metadata": {
                        "kernelspec": {"name": "python3", "display_name": "Python", "language": "python"},
                        "language_info": {"name": "python"},
                    },
                    "nbformat": 4,
                    "nbformat_minor": 5,
                }
            )
        },
    ),
    Row(
        "swagger-ui-tag",
        "`mkdocs-swagger-ui-tag`",
        "Nothing to do.",
        ("mkdocs-swagger-ui-tag",),
        plugins=("search", "swagger-ui-tag", ACDL),
    ),
    Row(
        "glightbox",
        "`mkdocs-glightbox`",
        "Nothing to do: figures are enlarged by their own button.",
        ("mkdocs-glightbox",),
        plugins=("search", "glightbox", ACDL),
    ),
    Row(
        "table-reader",
        "`mkdocs-table-reader-plugin`",
        "Nothing to do.",
        ("mkdocs-table-reader-plugin",),
        plugins=("search", "table-reader", ACDL),
    ),
    Row(
        "mkdocstrings",
        "`mkdocstrings`",
        "Blocks in docstrings are drawn on the page that shows them.",
        ("mkdocstrings", "mkdocstrings-python"),
        plugins=("search", "mkdocstrings", ACDL),
        files={
            "agentlib.py": '"""An agent."""\n\n\ndef ask() -> None:\n    """Ask.\n\n    ```acdl\n    Asking[@T]: { U: env.question[@T] }\n    ```\n    """\n',
            "docs/api.md": "# API\n\n::: agentlib\n",
        },
        config={},
        figures={"api/index.html": 1},
    ),
    Row(
        "exclude",
        "`mkdocs-exclude`",
        "Nothing to do: pages that are left out define nothing.",
        ("mkdocs-exclude",),
        plugins=("search", {"exclude": {"glob": ["drafts/*"]}}, ACDL),
        files={"docs/drafts/a.md": AGENTS.replace("Chat", "Drafted")},
    ),
    Row(
        "rss",
        "`mkdocs-rss-plugin`",
        "Nothing to do.",
        ("mkdocs-rss-plugin",),
        plugins=("search", ACDL, {"rss": {"use_git": False}}),
    ),
    Row(
        "same-dir",
        "`mkdocs-same-dir`",
        "Nothing to do.",
        ("mkdocs-same-dir",),
        plugins=("search", "same-dir", {"exclude": {"glob": ["site/*"]}}, ACDL),
        config={"docs_dir": "."},
        files={"docs/index.md": None, "docs/agents.md": None, "index.md": HOME, "agents.md": AGENTS},
        broken=("broken.md", BROKEN),
        checked=("index.md", "agents.md", "broken.md", "specs"),
    ),
    Row(
        "api-autonav",
        "`mkdocs-api-autonav`",
        "Nothing to do.",
        ("mkdocs-api-autonav",),
        plugins=("search", "mkdocstrings", {"api-autonav": {"modules": ["agentlib"]}}, ACDL),
        files={"agentlib/__init__.py": '"""An agent.\n\n```acdl\nAsking[@T]: { U: env.question[@T] }\n```\n"""\n'},
    ),
    Row(
        "llmstxt",
        "`mkdocs-llmstxt`",
        "Nothing to do; the option `llms` of `acdl` says more of specs.",
        ("mkdocs-llmstxt",),
        plugins=("search", ACDL, {"llmstxt": {"sections": {"Pages": ["index.md", "agents.md"]}}}),
    ),
    Row(
        "encryptcontent",
        "`mkdocs-encryptcontent-plugin`",
        "A page with a password needs `script: true`.",
        ("mkdocs-encryptcontent-plugin",),
        plugins=("search", ACDL, {"encryptcontent": {"selfhost": False}}),
    ),
    Row(
        "ezlinks",
        "`mkdocs-ezlinks-plugin`",
        "Nothing to do.",
        ("mkdocs-ezlinks-plugin",),
        plugins=("search", "ezlinks", ACDL),
    ),
    Row(
        "roamlinks",
        "`mkdocs-roamlinks-plugin`",
        "Nothing to do.",
        ("mkdocs-roamlinks-plugin",),
        plugins=("search", "roamlinks", ACDL),
    ),
    Row(
        "callouts",
        "`mkdocs-callouts`",
        "Nothing to do.",
        ("mkdocs-callouts",),
        plugins=("search", "callouts", ACDL),
        files={"docs/more.md": "# More\n\n> [!note] A note\n> ```acdl\n> More[@T]: { U: env.question[@T] }\n> ```\n"},
        figures={"more/index.html": 1},
    ),
    Row(
        "mermaid2",
        "`mkdocs-mermaid2-plugin`",
        "Nothing to do.",
        ("mkdocs-mermaid2-plugin",),
        plugins=("search", ACDL, "mermaid2"),
    ),
    Row(
        "panzoom",
        "`mkdocs-panzoom-plugin`",
        "Nothing to do.",
        ("mkdocs-panzoom-plugin",),
        plugins=("search", ACDL, "panzoom"),
    ),
    Row(
        "markdownextradata",
        "`mkdocs-markdownextradata-plugin`",
        "Nothing to do.",
        ("mkdocs-markdownextradata-plugin",),
        plugins=("search", "markdownextradata", ACDL),
    ),
    Row(
        "exclude-search",
        "`mkdocs-exclude-search`",
        "Nothing to do.",
        ("mkdocs-exclude-search",),
        plugins=("search", {"exclude-search": {"exclude": ["agents.md"]}}, ACDL),
    ),
    Row(
        "meta-manager",
        "`mkdocs-meta-manager`",
        "Nothing to do.",
        ("mkdocs-meta-manager",),
        plugins=("search", "meta-manager", ACDL),
    ),
    Row(
        "simple-hooks",
        "`mkdocs-simple-hooks`",
        "Nothing to do.",
        ("mkdocs-simple-hooks",),
        plugins=("search", {"mkdocs-simple-hooks": {"hooks": {}}}, ACDL),
    ),
)
