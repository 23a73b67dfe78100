"""Rankings and selections as pictures, drawn with matplotlib, which is imported when the first of them is drawn.

``ranking_figure.py`` and ``selection_figure.py`` say what a figure of a result shows, as plain rows and curves;
``bars.py`` and ``curves.py`` draw these, ``lettering.py`` makes names fit, ``panels.py`` decides how large everything
is, and ``compose.py`` puts it on a figure of its own, or on axes that somebody else made.
"""
