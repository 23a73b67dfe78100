"""Results for people and programs: documents and their writers, figures, reports, and what notebooks show.

Results are named in annotations only: each of them imports this package to write itself.
"""
