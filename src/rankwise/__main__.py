"""`python -m rankwise`: the command."""

import sys

from rankwise.cli import main

sys.exit(main())
