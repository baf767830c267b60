"""What the processor's cache consists of."""
