"""The peer protocol, standing alone: bytes in, events out. It knows nothing of the kernel."""
