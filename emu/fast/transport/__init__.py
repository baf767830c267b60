"""A reliable transport by its parts, compiled; the parts are those of the reference."""
