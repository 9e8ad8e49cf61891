"""Other people: invites, contacts, grants, what they ask, and what left for them."""
