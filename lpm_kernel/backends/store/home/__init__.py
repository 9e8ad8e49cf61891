"""The home: its database opened, its files, its workspace, its backups, what is erased from all."""
