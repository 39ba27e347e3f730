"""Words out: the terminal, tables, files, progress."""
