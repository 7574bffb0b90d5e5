"""What a source of a project is read with: modules, headers, templates, pages and files of data."""
