#!/usr/bin/env bash
# Installs fairlint from the checkout of the action, beside what the project has.
set -euo pipefail
"$PYTHON" -m venv "$RUNNER_TEMP/fairlint"
for bin in "$RUNNER_TEMP/fairlint/bin" "$RUNNER_TEMP/fairlint/Scripts"; do
  if [ -d "$bin" ]; then
    "$bin/python" -m pip install --quiet --disable-pip-version-check "$GITHUB_ACTION_PATH"
  fi
done
