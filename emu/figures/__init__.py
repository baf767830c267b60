"""Figures: published numbers, reproduced from the emulator, one file a figure."""
