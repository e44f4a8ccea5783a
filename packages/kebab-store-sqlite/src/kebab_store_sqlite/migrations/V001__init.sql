-- Times are RFC 3339 in UTC with six decimals and a final Z, so that they compare as text.
-- Columns named *_json hold JSON. Integer primary keys (*_no) are private: they only keep rowids stable.

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

INSERT INTO kv (key, value) VALUES ('corpus_revision', '0');

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

-- mtime_ns and inode are text because file systems use all 64 bits and SQLite has 63.
CREATE TABLE documents (
  doc_id TEXT PRIMARY KEY,
  asset_id TEXT NOT NULL REFERENCES assets (asset_id) ON DELETE RESTRICT,
  source_id TEXT NOT NULL,
  workspace_path TEXT NOT NULL,
  source_uri TEXT NOT NULL,
  disk_path TEXT NOT NULL,
  byte_len INTEGER NOT NULL,
  mtime_ns TEXT NOT NULL,
  inode TEXT NOT NULL,
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
  provenance_json TEXT NOT NULL,
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

CREATE TABLE document_tags (
  doc_id TEXT NOT NULL REFERENCES documents (doc_id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (doc_id, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_document_tags_tag ON document_tags (tag);

-- ordinal is the position in the document. Blocks are read and removed by document only, so block_id has no
-- index of its own: forty random index pages for each document would double what a commit writes.
CREATE TABLE blocks (
  block_no INTEGER PRIMARY KEY,
  block_id TEXT NOT NULL,
  doc_id TEXT NOT NULL REFERENCES documents (doc_id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  heading_path_json TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  source_span_json TEXT NOT NULL,
  payload_json TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX idx_blocks_doc_id ON blocks (doc_id, ordinal);

CREATE TABLE chunks (
  chunk_no INTEGER PRIMARY KEY,
  chunk_id TEXT NOT NULL UNIQUE,
  doc_id TEXT NOT NULL REFERENCES documents (doc_id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  text TEXT NOT NULL,
  heading_path_json TEXT NOT NULL,
  section_label TEXT,
  source_spans_json TEXT NOT NULL,
  token_estimate INTEGER NOT NULL,
  chunker_version TEXT NOT NULL,
  policy_hash TEXT NOT NULL,
  block_ids_json TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX idx_chunks_doc_id ON chunks (doc_id, ordinal);
CREATE INDEX idx_chunks_chunker_version ON chunks (chunker_version);

-- What the analyser made of a chunk: terms joined by single spaces.
CREATE TABLE chunk_terms (
  chunk_no INTEGER PRIMARY KEY REFERENCES chunks (chunk_no) ON DELETE CASCADE,
  title TEXT NOT NULL,
  heading TEXT NOT NULL,
  body TEXT NOT NULL,
  surface TEXT NOT NULL
) STRICT;

-- Terms come from the analyser, so the tokenizer parts at white space only: `c++` and `v1.2.3` stay whole.
-- Words as written are in an index of their own because bm25 measures a row over all columns of its table:
-- beside the ranked terms they would double every chunk's length.
CREATE VIRTUAL TABLE chunks_fts USING fts5 (
  title, heading, body,
  content = 'chunk_terms', content_rowid = 'chunk_no',
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Cf Cn Co'"
);

CREATE VIRTUAL TABLE chunks_exact USING fts5 (
  surface,
  content = 'chunk_terms', content_rowid = 'chunk_no',
  tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* P* S* Cf Cn Co'"
);

CREATE VIRTUAL TABLE chunks_vocab USING fts5vocab ('chunks_fts', 'row');

CREATE TRIGGER chunk_terms_ai AFTER INSERT ON chunk_terms BEGIN
  INSERT INTO chunks_fts (rowid, title, heading, body) VALUES (new.chunk_no, new.title, new.heading, new.body);
  INSERT INTO chunks_exact (rowid, surface) VALUES (new.chunk_no, new.surface);
END;

CREATE TRIGGER chunk_terms_ad AFTER DELETE ON chunk_terms BEGIN
  INSERT INTO chunks_fts (chunks_fts, rowid, title, heading, body)
    VALUES ('delete', old.chunk_no, old.title, old.heading, old.body);
  INSERT INTO chunks_exact (chunks_exact, rowid, surface) VALUES ('delete', old.chunk_no, old.surface);
END;

CREATE TRIGGER chunk_terms_au AFTER UPDATE ON chunk_terms BEGIN
  INSERT INTO chunks_fts (chunks_fts, rowid, title, heading, body)
    VALUES ('delete', old.chunk_no, old.title, old.heading, old.body);
  INSERT INTO chunks_exact (chunks_exact, rowid, surface) VALUES ('delete', old.chunk_no, old.surface);
  INSERT INTO chunks_fts (rowid, title, heading, body) VALUES (new.chunk_no, new.title, new.heading, new.body);
  INSERT INTO chunks_exact (rowid, surface) VALUES (new.chunk_no, new.surface);
END;

-- No foreign key to chunks: a tombstone says that a vector must still go, after its chunk has gone.
CREATE TABLE embedding_records (
  embedding_id TEXT PRIMARY KEY,
  chunk_id TEXT NOT NULL,
  doc_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  model_version TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  lance_table TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'committed', 'tombstone')),
  created_at TEXT NOT NULL,
  UNIQUE (chunk_id, model_id, model_version, dimensions)
) STRICT;

CREATE INDEX idx_embed_doc ON embedding_records (doc_id);
CREATE INDEX idx_embed_model ON embedding_records (model_id, model_version, dimensions);
CREATE INDEX idx_embed_open ON embedding_records (status, doc_id) WHERE status <> 'committed';

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
  items_json TEXT,
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
