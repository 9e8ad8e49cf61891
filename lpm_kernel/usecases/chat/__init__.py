"""Asking: chats, single questions, roles, and experts elsewhere."""
