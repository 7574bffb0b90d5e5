"""What fairlint's HTML pages share: texts of strangers made safe, templates that escape, and a style.

A page is one file. It loads nothing, names each style and script that may act by its hash, and can be read
without a script.
"""
