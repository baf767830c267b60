"""Results files of OpenURMA's two-node simulator, recomputed row by row."""
