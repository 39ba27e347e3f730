"""What people read: numbers as words, and the words of notes."""
