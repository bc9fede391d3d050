"""What an evaluation would do, without doing it, and which operations are pending."""
