"""Who and what is named, and how it hangs together."""
