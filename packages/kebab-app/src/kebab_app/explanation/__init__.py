"""Why a file is found or not: one module for each stretch of its way from the disk into a result."""
