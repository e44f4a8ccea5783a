-- The passages of a document with their terms and its blocks, about eight passages a row, compressed; document_parts.py
-- has the format. A part has the number of its first chunk, and its chunks are numbered without gaps.
CREATE TABLE document_parts (
  part_no INTEGER PRIMARY KEY,
  doc_id TEXT NOT NULL REFERENCES documents (doc_id) ON DELETE CASCADE,
  chunks BLOB NOT NULL,
  terms BLOB NOT NULL,
  blocks BLOB NOT NULL
) STRICT;

-- Fills document_parts and chunks.part_no; parts_takeover.py.
ALTER TABLE chunks ADD COLUMN part_no INTEGER;
SELECT pack_documents();
CREATE INDEX idx_document_parts_doc_id ON document_parts (doc_id);

DROP TABLE chunk_terms;
DROP TABLE blocks;

DROP INDEX idx_chunks_chunker_version;
ALTER TABLE chunks DROP COLUMN text;
ALTER TABLE chunks DROP COLUMN block_ids_json;
ALTER TABLE chunks DROP COLUMN heading_path_json;
ALTER TABLE chunks DROP COLUMN source_spans_json;
ALTER TABLE chunks DROP COLUMN section_label;
ALTER TABLE chunks DROP COLUMN token_estimate;
ALTER TABLE chunks DROP COLUMN chunker_version;
ALTER TABLE chunks DROP COLUMN policy_hash;
ALTER TABLE chunks DROP COLUMN created_at;
ALTER TABLE chunks DROP COLUMN lead_json;

-- The content of both full-text indexes, for their checks and for making them again. Rows of the indexes are inserted
-- and deleted with those of chunks, by document_writer.py.
CREATE VIEW chunk_terms (chunk_no, title, heading, body, surface) AS
SELECT c.chunk_no,
  passage_terms(p.chunks, p.terms, c.chunk_no - c.part_no, 0),
  passage_terms(p.chunks, p.terms, c.chunk_no - c.part_no, 1),
  passage_terms(p.chunks, p.terms, c.chunk_no - c.part_no, 2),
  passage_terms(p.chunks, p.terms, c.chunk_no - c.part_no, 3)
FROM chunks c CROSS JOIN document_parts p USING (part_no);
