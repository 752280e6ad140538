"""Claims about mechanisms and mathematics, and the evidence that decides them."""
