"""Any Markdown page with blocks in lists, quotes, tabs and other blocks."""

from fuzz.target import Target, file_text, files
from fuzz.targets.fence_options import check_page
from fuzz.words import acdl, markdown

_PAGE = b"""\
---
title: A
---
See [acdl:Top] and `#msg`.
```acdl #top
Top[@T]: { U: env.q }
```
- item

    ``` {.acdl id="list"}
    List[@T]: { U: env.q }
    ```

> ~~~acdl-diff
> S: A
> ---
> S: B
> ~~~

[^1]: note
    ```pml
    <user>a</user>
    ```
"""


def run(data: bytes) -> None:
    """Build it."""
    check_page(file_text(data))


TARGET = Target(
    run=run,
    promise="is built, whatever stands around its blocks",
    seeds=lambda: [_PAGE, *files("site_src/**/*.md", "examples/**/*.md", "tests/**/*.md", most_bytes=1200)],
    words=(*markdown(), *acdl()),
    max_bytes=1200,
    max_cpu_s=8,
)
