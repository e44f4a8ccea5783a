"""The ingest pipeline over Protocols: scan, compare, prepare, commit, and what is derived from passages afterwards."""
