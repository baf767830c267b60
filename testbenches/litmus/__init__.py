"""The litmus tests that come with the project."""
