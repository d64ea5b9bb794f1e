"""Front ends: the command line, documentation tools, editors, agents, the playground. Each knows its host."""
