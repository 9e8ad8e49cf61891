"""L2, memory in weights. Not built yet: data sets, recipes and the registry will stand here."""
