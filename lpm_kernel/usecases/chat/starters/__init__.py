"""Roles to begin from, in `roles.json`: data, so that a person who writes well can mend them
without reading code.
"""
