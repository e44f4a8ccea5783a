-- Holds the few files that are spelled on disk in another way than in their path, as names in Jamo are.
CREATE INDEX idx_docs_spelling ON documents (source_id, workspace_path, disk_path)
WHERE substr(disk_path, -length(workspace_path)) <> workspace_path;
