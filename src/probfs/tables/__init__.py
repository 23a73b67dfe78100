"""Tables as files hold them: reading, writing, and the Table between them."""
