"""Chats, roles, who the person is, and programs that ask as in the OpenAI API."""
