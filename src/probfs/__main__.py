"""python -m probfs"""

from probfs.cli import main

main()
