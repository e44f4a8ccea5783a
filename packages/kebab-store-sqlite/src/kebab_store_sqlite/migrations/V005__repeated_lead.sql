-- Text at the start of a chunk that stands elsewhere in its source, such as a table's header: {end, source_span}.
ALTER TABLE chunks ADD COLUMN lead_json TEXT;
