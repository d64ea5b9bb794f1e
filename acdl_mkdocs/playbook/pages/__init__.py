"""A playbook as pages, blocks, feeds and files of a site, whatever docs tool builds it.

`published` comes first: what a site may show, without what is not to be published and without secrets. Everything else
takes its result: `page.pages`, `block.playbook_block`, `changes.changes_pages`, `files.machine_files`,
`lessons.lessons_for`, `plot.plot_svg`. Knows no docs tool and reads no files.
"""
