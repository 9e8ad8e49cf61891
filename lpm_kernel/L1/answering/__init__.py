"""From what was recalled to an answer that passages carry."""
