"""A playbook as pages, blocks, feeds and files of a site, for any docs tool.

`published.publish_playbook` comes first: it selects what a site may show, without unpublished bullets and secrets. All
else takes its result: `page.playbook_pages`, `block.render_playbook`, `changes.changes_pages`, `files.machine_files`,
`sections.render_lessons`, `plot.render_plot`. Knows no docs tool and reads no files.
"""
