"""A leaderboard: runs of many models and suites as a static site, from the figures down to each answer."""
