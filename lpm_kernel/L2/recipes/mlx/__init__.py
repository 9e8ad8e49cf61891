"""Learning on Apple Silicon, by MLX: the same folder in, the same adapter out."""
