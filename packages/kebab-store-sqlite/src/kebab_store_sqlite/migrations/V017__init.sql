-- Times are RFC 3339 in UTC with six decimals and a final Z, so that they compare as text.
-- Columns named *_json hold JSON; provenance and items hold compressed JSON. Integer primary keys (*_no) are private: they only keep rowids stable.

CREATE TABLE schema_meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE migrations (
  id INTEGER PRIMARY KEY,
  applied_at TEXT NOT NULL,
  description TEXT NOT NULL
) STRICT;

CREATE TABLE kv (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- content_version changes with every change of chunks and vectors, and never repeats; corpus_revision is smaller and rises.
INSERT INTO kv (key, value) VALUES ('corpus_revision', '0');
INSERT INTO kv (key, value) VALUES ('content_version', lower(hex(randomblob(16))));

-- One row for each content. Where it was found belongs to the documents: equal files are one asset.
-- media_type and discovered_at are those of the first file with this content.
CREATE TABLE assets (
  asset_id TEXT PRIMARY KEY,
  media_type TEXT NOT NULL,
  byte_len INTEGER NOT NULL,
  checksum TEXT NOT NULL,
  storage_kind TEXT NOT NULL CHECK (storage_kind IN ('copied', 'reference')),
  storage_path TEXT NOT NULL,
  discovered_at TEXT NOT NULL
) STRICT;

CREATE INDEX idx_assets_media_type ON assets (media_type);
-- For the comparison of kept copies with the files that are there.
CREATE INDEX idx_assets_storage_kind ON assets (storage_kind, asset_id);

-- ctime_ns tells a file whose content changed although its size, time and inode did not. The two times and inode are text
-- because file systems use all 64 bits and SQLite has 63. embedding_model_id and the two columns beside it name the model
-- that has a vector of every chunk of the document; NULL where one is missing.
CREATE TABLE documents (
  doc_no INTEGER PRIMARY KEY,
  doc_id TEXT NOT NULL UNIQUE,
  asset_id TEXT NOT NULL REFERENCES assets (asset_id) ON DELETE RESTRICT,
  source_id TEXT NOT NULL,
  workspace_path TEXT NOT NULL,
  source_uri TEXT NOT NULL,
  disk_path TEXT NOT NULL,
  byte_len INTEGER NOT NULL,
  mtime_ns TEXT NOT NULL,
  inode TEXT NOT NULL,
  ctime_ns TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  title TEXT NOT NULL,
  lang TEXT NOT NULL,
  source_type TEXT NOT NULL,
  trust_level TEXT NOT NULL,
  trust_rank INTEGER NOT NULL,
  media TEXT NOT NULL,
  media_json TEXT NOT NULL,
  repo TEXT,
  code_lang TEXT,
  parser_version TEXT NOT NULL,
  chunker_version TEXT NOT NULL,
  analyzer_version TEXT NOT NULL,
  embedding_model_id TEXT,
  embedding_model_version TEXT,
  embedding_dimensions INTEGER,
  doc_version INTEGER NOT NULL,
  schema_version INTEGER NOT NULL,
  metadata_json TEXT NOT NULL,
  provenance BLOB NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  indexed_at TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX idx_docs_workspace_path ON documents (source_id, workspace_path);
CREATE INDEX idx_docs_asset_id ON documents (asset_id);
-- Holds every filtered column, so that no filter reads the wide rows.
CREATE INDEX idx_docs_lang ON documents (
  lang, source_type, trust_rank, media, repo, code_lang, indexed_at, source_id, workspace_path, doc_id
);
CREATE INDEX idx_docs_source_type ON documents (source_type, doc_id);
CREATE INDEX idx_docs_analyzer_version ON documents (analyzer_version);
-- Holds what a run compares of every file, so that one over unchanged files reads no wide row.
CREATE INDEX idx_docs_state ON documents (source_id, workspace_path, byte_len, mtime_ns, inode, ctime_ns, fingerprint);
-- Holds the few files that are spelled on disk in another way than in their path, as names in Jamo are.
CREATE INDEX idx_docs_spelling ON documents (source_id, workspace_path, disk_path)
WHERE substr(disk_path, -length(workspace_path)) <> workspace_path;
-- For the listing of the newest documents.
CREATE INDEX idx_docs_updated_at ON documents (updated_at DESC, source_id, workspace_path);
CREATE INDEX idx_docs_unembedded ON documents (mtime_ns, doc_id) WHERE embedding_model_id IS NULL;

CREATE TABLE document_tags (
  doc_id TEXT NOT NULL REFERENCES documents (doc_id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (doc_id, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_document_tags_tag ON document_tags (tag);

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

-- Text that was read in a file that is not text itself. parts_json: {parts: [{start, end, source_span}]}, the pages or
-- stretches of time in it by code points.
CREATE TABLE document_texts (
  doc_id TEXT PRIMARY KEY REFERENCES documents (doc_id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  parts_json TEXT NOT NULL
) STRICT;

-- Pages, pictures and frames of documents that show text at most as a picture, by 1-based number. The other columns are those
-- of the last reading: what read it (OcrIdentity.key), CPU milliseconds, lines that it found, why it failed. What it read is
-- in derivation_cache.
CREATE TABLE picture_pages (
  doc_id TEXT NOT NULL REFERENCES documents (doc_id) ON DELETE CASCADE,
  page INTEGER NOT NULL,
  engine_key TEXT,
  engine TEXT,
  read_at TEXT,
  ms INTEGER,
  line_count INTEGER,
  failure_json TEXT,
  PRIMARY KEY (doc_id, page)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_picture_pages_engine_key ON picture_pages (engine_key);

-- Pages, pictures and frames of documents that may have a caption, by 1-based number: those of picture_pages but for recordings,
-- and those with pictures beside their text. The model is that of the caption that the document was built with.
CREATE TABLE caption_pages (
  doc_id TEXT NOT NULL REFERENCES documents (doc_id) ON DELETE CASCADE,
  page INTEGER NOT NULL,
  model TEXT,
  PRIMARY KEY (doc_id, page)
) STRICT, WITHOUT ROWID;

-- Addresses of the pictures that documents show, as they are written, with what stands around them (ShownPicture.labels).
CREATE TABLE shown_pictures (
  doc_id TEXT NOT NULL REFERENCES documents (doc_id) ON DELETE CASCADE,
  address TEXT NOT NULL,
  labels_json TEXT NOT NULL,
  PRIMARY KEY (doc_id, address)
) STRICT, WITHOUT ROWID;

-- What a picture was built with of the documents that show it (Surroundings); pictures that none shows have no row.
CREATE TABLE picture_surroundings (
  doc_id TEXT PRIMARY KEY REFERENCES documents (doc_id) ON DELETE CASCADE,
  surroundings_json TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The passages of a document with their terms and its blocks, about eight passages a row, compressed; document_parts.py
-- has the format. A part has the number of its first chunk, and its chunks are numbered without gaps.
CREATE TABLE document_parts (
  part_no INTEGER PRIMARY KEY,
  doc_no INTEGER NOT NULL REFERENCES documents (doc_no) ON DELETE CASCADE,
  chunks BLOB NOT NULL,
  terms BLOB NOT NULL,
  blocks BLOB NOT NULL
) STRICT;

CREATE INDEX idx_document_parts_doc_no ON document_parts (doc_no);

-- text_hash is that of the text that a vector of the chunk stands for.
CREATE TABLE chunks (
  chunk_no INTEGER PRIMARY KEY,
  chunk_id TEXT NOT NULL UNIQUE,
  doc_no INTEGER NOT NULL REFERENCES documents (doc_no) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  text_hash BLOB NOT NULL,
  part_no INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX idx_chunks_doc_no ON chunks (doc_no, ordinal);
CREATE INDEX idx_chunks_text_hash ON chunks (text_hash);

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

-- The content of both full-text indexes, for their checks and for making them again. Rows of the indexes are inserted
-- and deleted with those of chunks, by document_writer.py.
CREATE VIEW chunk_terms (chunk_no, title, heading, body, surface) AS
SELECT c.chunk_no,
  passage_terms(p.chunks, p.terms, c.chunk_no - c.part_no, 0),
  passage_terms(p.chunks, p.terms, c.chunk_no - c.part_no, 1),
  passage_terms(p.chunks, p.terms, c.chunk_no - c.part_no, 2),
  passage_terms(p.chunks, p.terms, c.chunk_no - c.part_no, 3)
FROM chunks c CROSS JOIN document_parts p USING (part_no);

-- Terms come from the analyser, so the tokenizer parts at white space only: `c++` and `v1.2.3` stay whole.
-- Words as written are in an index of their own because bm25 measures a row over all columns of its table:
-- beside the ranked terms they would double every chunk's length.
-- The body is first: FTS5 writes two bytes before the places of a term in any other column, once for each chunk.
CREATE VIRTUAL TABLE chunks_fts USING fts5 (
  body, heading, title,
  content = 'chunk_terms', content_rowid = 'chunk_no',
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Cf Cn Co'"
);

-- Nothing is ranked by these words, so that the lengths of chunks are not kept.
CREATE VIRTUAL TABLE chunks_exact USING fts5 (
  surface,
  content = 'chunk_terms', content_rowid = 'chunk_no', columnsize = 0,
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Cf Cn Co'"
);

CREATE VIRTUAL TABLE chunks_vocab USING fts5vocab ('chunks_fts', 'row');

-- Vectors lie here alone, by model and by the hash of the text that they stand for: a chunk has a vector if there is one
-- for its text.
-- settings_json: the settings by which the model can be built again, of models that every chunk had a vector of.
CREATE TABLE embedding_models (
  model_no INTEGER PRIMARY KEY,
  model_id TEXT NOT NULL,
  model_version TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  settings_json TEXT,
  UNIQUE (model_id, model_version, dimensions)
) STRICT;

-- In half precision, little-endian, in the order in which they were made: the oldest that no chunk uses go first.
CREATE TABLE vectors (
  vector_no INTEGER PRIMARY KEY AUTOINCREMENT,
  model_no INTEGER NOT NULL REFERENCES embedding_models (model_no) ON DELETE CASCADE,
  text_hash BLOB NOT NULL,
  vector BLOB NOT NULL,
  UNIQUE (model_no, text_hash)
) STRICT;

CREATE TABLE derivation_cache (
  kind TEXT NOT NULL,
  cache_key TEXT NOT NULL,
  payload BLOB NOT NULL,
  created_at TEXT NOT NULL,
  last_used_at TEXT NOT NULL,
  PRIMARY KEY (kind, cache_key)
) STRICT;

CREATE INDEX idx_derivation_last_used ON derivation_cache (last_used_at);

CREATE TABLE source_scans (
  source_id TEXT PRIMARY KEY,
  root TEXT NOT NULL,
  completed_at TEXT NOT NULL,
  files INTEGER NOT NULL,
  documents_held INTEGER NOT NULL
) STRICT;

CREATE TABLE file_failures (
  source_id TEXT NOT NULL,
  workspace_path TEXT NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  failed_at TEXT NOT NULL,
  PRIMARY KEY (source_id, workspace_path)
) STRICT, WITHOUT ROWID;

-- Files that their content keeps out of the index, so that only a new state of one is looked into.
CREATE TABLE skipped_files (
  source_id TEXT NOT NULL,
  workspace_path TEXT NOT NULL,
  byte_len INTEGER NOT NULL,
  mtime_ns TEXT NOT NULL,
  inode TEXT NOT NULL,
  ctime_ns TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (source_id, workspace_path)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE jobs (
  job_id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'succeeded', 'failed', 'canceled')),
  payload_json TEXT NOT NULL,
  progress_json TEXT,
  error_json TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  finished_at TEXT
) STRICT;

CREATE INDEX idx_jobs_status ON jobs (status);
CREATE INDEX idx_jobs_kind ON jobs (kind);

-- Counts, report and finished_at are null until the run has ended.
CREATE TABLE ingest_runs (
  run_id TEXT PRIMARY KEY,
  scope_json TEXT NOT NULL,
  scanned INTEGER,
  new_count INTEGER,
  updated_count INTEGER,
  skipped_count INTEGER,
  error_count INTEGER,
  duration_ms INTEGER,
  started_at TEXT NOT NULL,
  finished_at TEXT,
  items BLOB,
  report_json TEXT
) STRICT;

CREATE INDEX idx_ingest_runs_started ON ingest_runs (started_at);
CREATE INDEX idx_ingest_runs_open ON ingest_runs (run_id) WHERE finished_at IS NULL;

CREATE TABLE answers (
  trace_id TEXT PRIMARY KEY,
  query TEXT NOT NULL,
  answer TEXT NOT NULL,
  grounded INTEGER NOT NULL,
  refusal_reason TEXT,
  model_id TEXT NOT NULL,
  model_provider TEXT NOT NULL,
  embedding_model_id TEXT,
  embedding_dimensions INTEGER,
  prompt_template_version TEXT NOT NULL,
  retrieval_mode TEXT NOT NULL,
  retrieval_k INTEGER NOT NULL,
  score_gate REAL NOT NULL,
  top_score REAL NOT NULL,
  chunks_returned INTEGER NOT NULL,
  chunks_used INTEGER NOT NULL,
  citations_json TEXT NOT NULL,
  packed_chunks_json TEXT,
  prompt_tokens INTEGER,
  completion_tokens INTEGER,
  latency_ms INTEGER,
  created_at TEXT NOT NULL,
  answer_json TEXT NOT NULL
) STRICT;

CREATE INDEX idx_answers_created_at ON answers (created_at);
CREATE INDEX idx_answers_grounded ON answers (grounded);

CREATE TABLE eval_runs (
  run_id TEXT PRIMARY KEY,
  suite TEXT NOT NULL,
  config_snapshot_json TEXT NOT NULL,
  aggregate_json TEXT NOT NULL,
  commit_hash TEXT,
  created_at TEXT NOT NULL
) STRICT;

CREATE TABLE eval_query_results (
  run_id TEXT NOT NULL REFERENCES eval_runs (run_id) ON DELETE CASCADE,
  query_id TEXT NOT NULL,
  result_json TEXT NOT NULL,
  PRIMARY KEY (run_id, query_id)
) STRICT;

CREATE TABLE chat_sessions (
  session_id TEXT PRIMARY KEY,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  title TEXT,
  config_snapshot_json TEXT NOT NULL
) STRICT;

CREATE TABLE chat_turns (
  turn_id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES chat_sessions (session_id) ON DELETE CASCADE,
  turn_index INTEGER NOT NULL,
  question TEXT NOT NULL,
  answer TEXT NOT NULL,
  citations_json TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (session_id, turn_index)
) STRICT;
