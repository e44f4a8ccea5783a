-- Tells a file whose content changed although its size, time and inode did not. NULL in rows of older versions, which
-- makes the next run compare the checksum of the file, once. Text because file systems use all 64 bits and SQLite has 63.
ALTER TABLE documents ADD COLUMN ctime_ns TEXT;
ALTER TABLE skipped_files ADD COLUMN ctime_ns TEXT;

DROP INDEX idx_docs_state;
CREATE INDEX idx_docs_state ON documents (source_id, workspace_path, byte_len, mtime_ns, inode, ctime_ns, fingerprint);
