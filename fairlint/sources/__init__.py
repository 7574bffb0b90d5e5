"""Languages read: files, standard input and model answers become Sources."""
