-- Vectors lie here alone, by model and by the hash of the text that they stand for: a chunk has a vector if there is one
-- for its text. Before, they lay in the derivation cache and in an index beside the database, and embedding_records said
-- which chunks had one. The functions of this migration are in vector_takeover.py.
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

-- Hash of the text that a vector of the chunk stands for.
ALTER TABLE chunks ADD COLUMN text_hash BLOB;
UPDATE chunks SET text_hash = passage_hash(
  (SELECT d.title FROM documents d WHERE d.doc_id = chunks.doc_id), heading_path_json, text
);
DROP INDEX idx_chunks_doc_id;
CREATE UNIQUE INDEX idx_chunks_doc_id ON chunks (doc_id, ordinal, text_hash);
CREATE INDEX idx_chunks_text_hash ON chunks (text_hash);

INSERT INTO embedding_models (model_id, model_version, dimensions)
SELECT model_id, model_version, dimensions FROM embedding_records
GROUP BY model_id, model_version, dimensions ORDER BY max(rowid);

INSERT OR IGNORE INTO vectors (model_no, text_hash, vector)
SELECT model_no, text_hash, coalesce(
    cached_vector(dimensions, (SELECT payload FROM derivation_cache WHERE kind = 'embedding' AND cache_key = key)),
    CASE WHEN status = 'committed' THEN indexed_vector(model_id, model_version, dimensions, chunk_id) END
  ) AS vector
FROM (
  SELECT m.model_no, m.model_id, m.model_version, m.dimensions, c.text_hash, c.chunk_id, e.status,
         passage_key(m.model_id, m.model_version, m.dimensions, d.title, c.heading_path_json, c.text) AS key
  FROM embedding_records e JOIN embedding_models m USING (model_id, model_version, dimensions)
    JOIN chunks c USING (chunk_id) JOIN documents d ON d.doc_id = c.doc_id
  WHERE e.status <> 'tombstone'
)
WHERE vector IS NOT NULL;

DROP TABLE embedding_records;
DELETE FROM derivation_cache WHERE kind = 'embedding';
DELETE FROM kv WHERE key LIKE 'vectors:%';

-- content_version changes with every change of chunks and vectors, and never repeats; corpus_revision is smaller and rises.
INSERT INTO kv (key, value) VALUES ('content_version', lower(hex(randomblob(16))));
INSERT INTO kv (key, value) SELECT 'embedding_model', max(model_no) FROM embedding_models HAVING max(model_no) IS NOT NULL;

-- embedding_model_id and the two columns beside it name the model that has a vector of every chunk of the document; NULL
-- where one is missing.
UPDATE documents SET embedding_model_id = NULL, embedding_model_version = NULL, embedding_dimensions = NULL;
UPDATE documents SET (embedding_model_id, embedding_model_version, embedding_dimensions) = (
  SELECT model_id, model_version, dimensions FROM embedding_models ORDER BY model_no DESC LIMIT 1
)
WHERE NOT EXISTS (
  SELECT 1 FROM chunks c WHERE c.doc_id = documents.doc_id AND NOT EXISTS (
    SELECT 1 FROM vectors v WHERE v.text_hash = c.text_hash AND v.model_no = (SELECT max(model_no) FROM embedding_models)
  )
);
CREATE INDEX idx_docs_unembedded ON documents (mtime_ns, doc_id) WHERE embedding_model_id IS NULL;
