"""Functions and methods that give views with axes added, spread, moved, turned, cut or taken out."""
