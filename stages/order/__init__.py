"""What the stages that put requests in order are made of."""
