"""Download of models: asked for by name, checked by hash, and the only way weights come over the network."""
