"""The documents of paper commands (exact scores, claims) in every output format."""
