"""The compiled engine: built-in stages only, with the meaning of the reference engine."""
