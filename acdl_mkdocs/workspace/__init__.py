"""What every front end needs of a project: files, blocks of pages, states and runs beside a spec, names."""
