"""The rows: one entry of data for each docs tool, plugin or theme, or for several that are used together."""

from hosts.sites import ACDL, BROKEN, HOME, Row

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
)
