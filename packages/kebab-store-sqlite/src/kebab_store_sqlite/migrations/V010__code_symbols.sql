-- The symbols that passages of source code define, for a lookup by name. A passage has them with all their fields
-- (document_parts); place is the number of the symbol among those of the passage, from 0, name the last part of the
-- symbol, folded (kebab_core.fold_name).
CREATE TABLE code_symbols (
  chunk_no INTEGER NOT NULL REFERENCES chunks (chunk_no) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  symbol TEXT NOT NULL,
  role TEXT,
  PRIMARY KEY (chunk_no, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_code_symbols_name ON code_symbols (name);
