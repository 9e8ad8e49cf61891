"""The home as a whole: opened, checked, backed up, erased, handed on."""
