"""What serves the notes alone, found as anything is that another package offers."""
