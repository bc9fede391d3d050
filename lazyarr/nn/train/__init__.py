"""Training: steps, epochs, batches, checkpoints."""
