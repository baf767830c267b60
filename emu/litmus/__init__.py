"""Litmus tests: small programs on several initiators, and which outcomes a mode allows."""
