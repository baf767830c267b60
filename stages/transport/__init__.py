"""A reliable transport by its parts: what sends, what receives, and what a wait is charged to."""
