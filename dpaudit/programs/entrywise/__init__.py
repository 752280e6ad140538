"""Programs whose entries are independent: each is explored on its own."""
