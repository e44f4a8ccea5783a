"""What adapters share at run time: HTTP client for model servers, quiet ONNX sessions, limited worker processes."""
