"""Laws of programs, made of the probabilities of their paths and of the numbers they leave open."""
