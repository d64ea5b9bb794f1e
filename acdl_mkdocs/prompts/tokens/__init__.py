"""How many model tokens texts and prompts take, offline, and one prompt in several spellings."""
