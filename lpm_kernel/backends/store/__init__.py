"""The databases and the files. ``tables.py`` holds what cannot be remade, ``index_tables.py`` what
can.
"""
