"""The characters of words, and when two words are the same name.

Knows nothing about tokens.
"""

from unicodedata import category, normalize

INVISIBLE = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
"""Zero-width characters that may be inside a word but are not part of its name."""

LETTER = r"[^\x00-\x2f:-@\[-^`{-\x7f\s\xd7\xf7\u2010-\u205e\u2190-\u2bff\u3000-\u303f]"
"""For patterns that only look for words: a character that is not the first of a word, quicker than to the letter."""


def normalize_name(word: str) -> str:
    """Normalize a name: words that differ only in Unicode normalization are the same name."""
    return normalize("NFC", word.translate(INVISIBLE))


def is_mark(character: str) -> bool:
    """Return whether a character continues a word but starts none: a combining accent, vowel sign or tone mark."""
    return category(character) in ("Mn", "Mc")


def end_of_word(text: str, start: int) -> int:
    """Return the end of the word that continues at an offset, with letters, marks and invisible characters."""
    end = start
    for at in range(start, len(text)):
        character = text[at]
        if character.isalnum() or character == "_" or is_mark(character):
            end = at + 1
        elif ord(character) not in INVISIBLE:
            break
    return end
