"""Documents (rankings, selections, inspections) -> terminal table, CSV, JSON, Markdown, HTML and figures.

Documents write themselves through these modules, which know them by their types only and import none of them.
"""
