#!/usr/bin/env bash
# Keeps one comment of fairlint on a pull request. Where nothing was found and nothing was said, nothing is.
set -euo pipefail

mark="<!-- fairlint -->"
comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
body="$RUNNER_TEMP/fairlint-comment.md"
longest=60000 # characters; a comment holds 65,536

said() {
  gh api --paginate "$comments?per_page=100" \
    --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$mark\"))) | .id"
}

if ! earlier=$(said); then
  echo "::warning::fairlint cannot read the comments of this pull request"
  exit 0
fi
earlier=${earlier%%$'\n'*}
if [ -z "$earlier" ] && [ "$EXIT_CODE" = 0 ]; then
  exit 0
fi

text=$(cat "$SUMMARY")
if [ "${#text}" -gt "$longest" ]; then
  text="${text:0:$longest}"$'\n\n'"The rest is in the summary of the workflow run."
fi
printf '%s\n%s\n' "$mark" "$text" >"$body"

if [ -n "$earlier" ]; then
  set -- --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$earlier"
else
  set -- --method POST "$comments"
fi
# A pull request from a fork may not be written to: that is no reason to fail.
gh api "$@" --silent --field "body=@$body" || echo "::warning::fairlint may not comment on this pull request"
