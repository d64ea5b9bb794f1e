"""PML and LAIC: documents are read, checked and written; calls are found, checked and asked for."""
