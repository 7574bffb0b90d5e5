"""Readers of a kind of text or data: what SQL decides, a prompt asks, a test record expects, code assumes."""
