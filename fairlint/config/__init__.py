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
from fairlint.config.errors import UsageError
from fairlint.config.settings import (
    BASELINE,
    CONFIDENCES,
    DOMAINS,
    JURISDICTIONS,
    PERSONAS,
    PathPattern,
    Settings,
)

__all__ = [
    "BASELINE", "CONFIDENCES", "DOMAINS", "JURISDICTIONS", "PERSONAS",
    "Configurations", "PathPattern", "Settings", "UsageError",
    "find_config", "load_settings", "read_config", "usual_baseline",
]  # fmt: skip
