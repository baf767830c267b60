"""Characterise: drives a DUT in experiments, and finds what a timing table says of it."""
