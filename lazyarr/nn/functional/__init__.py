"""Functions of neural networks: activations, losses, convolutions, pooling, normalisation. Arrays are channels last."""
