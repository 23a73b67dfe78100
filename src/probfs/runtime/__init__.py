"""What a run needs of the machine: threads, processes, memory, whole files, and who hears of progress."""
