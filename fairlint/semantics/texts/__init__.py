"""Texts that code puts together, searches and takes apart."""
