"""What texts state: found by rule or by a model, put right, dated, and held against each other."""
