"""Language models: a GGUF file by llama.cpp, any OpenAI-compatible endpoint, and the scripted twin.

`host.py` is a process of its own that serves a GGUF file behind an OpenAI-compatible loopback
endpoint; `gguf_model.py` is what it serves; `client.py` is how the rest of the node speaks to it,
or to any other endpoint. Start reading there.
"""
