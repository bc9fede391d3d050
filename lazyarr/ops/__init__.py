"""What each operation is: the table of rows and the functions that build graph nodes."""
