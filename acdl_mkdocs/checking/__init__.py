"""Finding and checking the specs of files, folders and Markdown pages, as the command line, editors and agents do."""
