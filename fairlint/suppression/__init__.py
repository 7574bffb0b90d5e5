"""What keeps a finding out of a report: comments, baselines, and lines that did not change."""
