"""The reference engine against a SimPy model of the same timing table."""
