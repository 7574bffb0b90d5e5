"""An audit of a prompt as one HTML file."""
