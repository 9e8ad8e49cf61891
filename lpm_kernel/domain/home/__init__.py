"""The home: its audit chain, its work, its backups, and what is erased from it."""
