"""The pages, each module the handlers of one area."""
