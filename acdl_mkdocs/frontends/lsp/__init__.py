"""The language server: the editor's pure functions over the language server protocol."""
