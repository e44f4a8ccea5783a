-- Text that was read in a file that is not text itself. parts_json: {parts: [{start, end, source_span}]}, the pages or
-- stretches of time in it by code points.
CREATE TABLE document_texts (
  doc_id TEXT PRIMARY KEY REFERENCES documents (doc_id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  parts_json TEXT NOT NULL
) STRICT;
