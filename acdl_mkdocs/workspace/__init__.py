"""What every front end needs to know about a project: files, blocks of pages, states and runs beside a spec, names."""
