"""What the node holds to be so: recalled, listed, mapped, dated, written up and corrected."""
