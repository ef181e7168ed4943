"""The drawings of the book: a module for each chapter, a function for each drawing."""
