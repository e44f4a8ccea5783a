"""JSON Schemas of the wire objects: generation from the models, examples, and the check of additive changes."""
