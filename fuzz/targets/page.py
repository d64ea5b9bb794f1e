"""Any Markdown page with blocks in lists, quotes, tabs and other blocks."""

from fuzz.folder import FILES
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
_FILES = b"""\
```acdl src=a.acdl state=a.state.yaml at="1.0..1.3" runs=a.run.jsonl mutants=3
```
```acdl src="b.acdl#Chat" state=b.state.yaml
```
```acdl-playbook src=book.yaml
```
```pml src=p.xml
```
"""


def run(data: bytes) -> None:
    """Build it."""
    check_page(file_text(data))


TARGET = Target(
    run=run,
    promise="is built, whatever stands around its blocks",
    seeds=lambda: [_PAGE, _FILES, *files("site_src/**/*.md", "examples/**/*.md", "tests/**/*.md", most_bytes=1200)],
    words=(*markdown(), *acdl(), *FILES),
    max_bytes=1200,
    max_cpu_s=8,
)
