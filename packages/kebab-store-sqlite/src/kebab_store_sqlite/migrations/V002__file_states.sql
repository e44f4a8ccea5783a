-- Holds what a run compares of every file, so that one over unchanged files reads no wide row.
CREATE INDEX idx_docs_state ON documents (source_id, workspace_path, byte_len, mtime_ns, inode, fingerprint);

-- The same for the comparison of kept copies with the files that are there.
CREATE INDEX idx_assets_storage_kind ON assets (storage_kind, asset_id);

-- Files that their content keeps out of the index, so that only a new state of one is looked into.
CREATE TABLE skipped_files (
  source_id TEXT NOT NULL,
  workspace_path TEXT NOT NULL,
  byte_len INTEGER NOT NULL,
  mtime_ns TEXT NOT NULL,
  inode TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (source_id, workspace_path)
) STRICT, WITHOUT ROWID;
