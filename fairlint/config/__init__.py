"""What a user wants checked: settings, and the configuration files that say them for which folder.

What a file may say stands in `table`, how one is read in `reading`: a run without any needs neither.
"""

from fairlint.config.configurations import (
    Configurations,
    find_config,
    load_settings,
    read_config,
    usual_baseline,
)
from fairlint.config.settings import (
    BASELINE,
    DOMAINS,
    JURISDICTIONS,
    PERSONAS,
    PathPattern,
    Settings,
)
from fairlint.support.errors import UsageError

__all__ = [
    "BASELINE", "DOMAINS", "JURISDICTIONS", "PERSONAS",
    "Configurations", "PathPattern", "Settings", "UsageError",
    "find_config", "load_settings", "read_config", "usual_baseline",
]  # fmt: skip
