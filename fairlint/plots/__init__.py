"""What fairlint's figures share: colours and marks that everybody tells apart, and files that repeat."""
