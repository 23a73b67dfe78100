"""rank, select, pairs and read, the options that commands share with them, and the scikit-learn selector."""
