"""Loops over cells in machine code, for work that would take numpy too long.

``loops`` has the loops, each written in Python and declared as a ``Kernel``: its parameters by name and type. Callers
bind arrays to a kernel once and then call it (``kernel``). The first time a kernel is needed on a machine, numba
compiles it (``compiler``) and the object code is kept (``cache``, ``trusted_files``); from then on it is checked
(``object_code``, ``elf``, ``mach_o``) and loaded without importing numba, which alone takes a third of a second
(``loader``). Wherever any of this fails there is one exception, ``KernelUnavailable``, and numpy does the work.
"""
