"""How what was said in chats becomes memory: where a thread ends, what was told in it, what of it
is salient, and what is kept for long. Start with ``threads.py``.
"""
