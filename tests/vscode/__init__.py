"""The extension for VS Code and the TextMate grammars."""
