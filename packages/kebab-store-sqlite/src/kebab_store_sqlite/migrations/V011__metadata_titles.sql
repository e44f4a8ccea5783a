-- Documents whose title is that of their file's metadata, with the title that is shown where others have it, too. path is source
-- and path without the ending of the name: a file that is saved in two formats is no other document.
CREATE TABLE metadata_titles (
  doc_id TEXT PRIMARY KEY REFERENCES documents (doc_id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  asset_id TEXT NOT NULL,
  path TEXT NOT NULL,
  next_title TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_metadata_titles_title ON metadata_titles (title, asset_id, path);
