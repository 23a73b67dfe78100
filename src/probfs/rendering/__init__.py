"""Documents (rankings, inspections) -> terminal table, CSV, JSON, Markdown.

Documents write themselves through these modules, which know them by their types only and import none of them.
"""
