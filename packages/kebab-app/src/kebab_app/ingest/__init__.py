"""From files to a searchable index: scan, compare, extract, chunk, analyse, store."""
