"""What an editor asks of ACDL text: pure functions on documents, which know no protocol."""
