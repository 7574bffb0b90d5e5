"""What every other package stands on: files, git, and nothing of code or people."""
