"""One module for each generated page; each has `render() -> str`."""
