"""Canonical text: masked, cut into passages, and told in keywords."""
