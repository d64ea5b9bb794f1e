"""A playbook as pages, blocks, feeds and files of a site, for any docs tool.

`published.published` comes first: it selects what a site may show, without unpublished bullets and secrets. Everything
else takes its result: `page.playbook_pages`, `block.playbook_html`, `changes.changes_pages`, `files.machine_files`,
`sections.lessons_for`, `plot.plot_svg`. Knows no docs tool and reads no files.
"""
