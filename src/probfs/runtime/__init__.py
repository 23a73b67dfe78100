"""What a run needs of the machine: threads, processes, memory, and files written whole or not at all."""
