-- Checkouts that files of sources lie in. A document belongs to the one with the longest folder around it; an empty folder is
-- the whole source. Documents do not name theirs, so that another branch or commit changes none of them.
CREATE TABLE repositories (
  source_id TEXT NOT NULL,
  folder TEXT NOT NULL,
  name TEXT NOT NULL,
  remote TEXT,
  branch TEXT,
  commit_hash TEXT,
  PRIMARY KEY (source_id, folder)
) STRICT, WITHOUT ROWID;
