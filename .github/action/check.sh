#!/usr/bin/env bash
# Checks the code: all of it for code scanning, and for a pull request only what stands on lines that it changes.
set -euo pipefail

fairlint="$RUNNER_TEMP/fairlint/bin/fairlint"
[ -e "$fairlint" ] || fairlint="$RUNNER_TEMP/fairlint/Scripts/fairlint"
sarif="$RUNNER_TEMP/fairlint.sarif"
summary="$RUNNER_TEMP/fairlint.md"

options=()
while IFS= read -r line; do
  [ -z "$line" ] || options+=("$line")
done <<<"$FAIRLINT_ARGUMENTS"

case "$FAIRLINT_UNTRUSTED" in
  true) options+=(--untrusted) ;;
  false) ;;
  auto)
    # A fork that is gone has no name, and is one all the same.
    if [ "$GITHUB_EVENT_NAME" = pull_request_target ]; then
      options+=(--untrusted)
    elif [ "$GITHUB_EVENT_NAME" = pull_request ] && [ "$FAIRLINT_HEAD" != "$GITHUB_REPOSITORY" ]; then
      options+=(--untrusted)
    fi
    ;;
  *)
    echo "::error::untrusted must be auto, true or false, not '$FAIRLINT_UNTRUSTED'"
    exit 2
    ;;
esac

case "$FAIRLINT_STRICT" in
  true) options+=(--fail-on=incomplete) ;;
  false) ;;
  *)
    echo "::error::strict must be true or false, not '$FAIRLINT_STRICT'"
    exit 2
    ;;
esac

options+=(--)
while IFS= read -r line; do
  [ -z "$line" ] || options+=("$line")
done <<<"$FAIRLINT_PATHS"

code=0
if [ "$GITHUB_EVENT_NAME" = pull_request ] && [ "$FAIRLINT_CHANGED" = true ]; then
  if [ "$(git rev-parse HEAD)" = "$GITHUB_SHA" ]; then
    # What is checked out is a merge; its first parent is the branch that it goes into.
    if ! git rev-parse --quiet --verify "HEAD^1" >/dev/null; then
      git fetch --quiet --no-tags --depth=2 origin "$GITHUB_SHA"
    fi
    before="HEAD^1"
  else
    git fetch --quiet --no-tags origin "$GITHUB_BASE_REF"
    before=$(git merge-base FETCH_HEAD HEAD || git rev-parse FETCH_HEAD)
  fi
  "$fairlint" --format sarif --output "$sarif" --quiet --exit-zero "${options[@]}" || code=$?
  if [ "$code" -ne 2 ]; then
    code=0
    "$fairlint" --format github --also "markdown=$summary" --diff "$before" "${options[@]}" || code=$?
  fi
else
  "$fairlint" --format github --also "sarif=$sarif" --also "markdown=$summary" "${options[@]}" || code=$?
fi

if [ -s "$summary" ]; then
  cat "$summary" >>"$GITHUB_STEP_SUMMARY"
fi
{
  echo "exit-code=$code"
  echo "sarif=$sarif"
  echo "summary=$summary"
} >>"$GITHUB_OUTPUT"
