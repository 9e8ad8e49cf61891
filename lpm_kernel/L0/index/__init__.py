"""The index in memory: which passages may answer a question, and what speaks for each."""
