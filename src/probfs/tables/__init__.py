"""Tables as files hold them: the Table, the registry of file formats, and a reader and a writer for each format."""
