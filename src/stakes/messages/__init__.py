"""What people read: numbers as words, and later the words of notes and errors."""
