"""What tests share: sample data, example lines, random programs, references and comparisons with NumPy."""
