"""Rows in blocks: all of them in this process, or a share on each worker of a cluster; whoever asks does not know."""
