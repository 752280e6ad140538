"""What is measured: scripts that audit the sizes they are given and print JSON."""
