"""What a run needs of the machine: threads, processes, memory, files written whole or not at all, and who hears of progress."""
