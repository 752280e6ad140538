"""What commands find: typed results that are the documents, their schemas and their columns."""
