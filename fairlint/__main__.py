"""`python -m fairlint`."""

from __future__ import annotations

import sys

from fairlint.cli import main

if __name__ == "__main__":
    sys.exit(main())
