"""Reference pages derived from the code: one module for each page, with `render() -> str`."""
