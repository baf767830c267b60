"""Traces: typed events, and what listens to them."""
