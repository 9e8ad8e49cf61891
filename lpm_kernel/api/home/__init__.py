"""The home as a whole: its health, work, settings and keys, erasing, backups, archives."""
