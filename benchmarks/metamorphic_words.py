"""What `metamorphic.py` puts into programs: modules, sentences and definitions of other worlds."""

from __future__ import annotations

import tomllib
from pathlib import Path

_DATA = tomllib.loads(
    Path(__file__).with_suffix("").with_name("metamorphic.toml").read_text(encoding="utf-8")
)


def _listed(text: str) -> list[str]:
    return [item for item in (" ".join(one.split()) for one in text.split(",")) if item]


IMPORTS: list[tuple[str, str]] = [
    (module, member)
    for text in _DATA["imports"].values()
    for module, _, member in (item.partition(":") for item in _listed(text))
]
"""Modules, and something that each holds."""
HEADERS: list[str] = _listed(_DATA["headers"]["c"])
PHRASES: list[str] = _listed(_DATA["words"]["phrases"])
SUFFIXES: list[str] = _listed(_DATA["words"]["suffixes"])
KNOWN: list[dict[str, str]] = _DATA["known"]
"""What is known to change: by which `change`, under which `rule`, where what was changed `says` so (a
pattern), and the reason."""

BODIES = (
    """def evict_cache(cache, ttl, now):
    for key, entry in list(cache.items()):
        if now - entry.mtime > ttl:
            del cache[key]""",
    '''class LruCache:
    """A cache that drops what is stale."""

    def __init__(self, limit):
        self.limit, self.entries = limit, {}

    def put(self, key, value):
        if len(self.entries) >= self.limit:
            self.entries.pop(next(iter(self.entries)))
        self.entries[key] = value''',
    """def walk_graph(graph, node, seen):
    seen.add(node)
    for neighbor in graph.edges[node]:
        if neighbor not in seen:
            walk_graph(graph, neighbor, seen)""",
    """class TreeNode:
    def __init__(self, parent=None):
        self.parent, self.children, self.depth = parent, [], 0

    def add_node(self, node):
        node.parent = self
        self.children.append(node)""",
    """class Game:
    def __init__(self, players):
        self.players, self.enemies, self.loot = players, [], {}

    def step_game(self, sprite):
        sprite.hp -= 1
        return sprite.hp > 0""",
    """def move_player(player, dungeon):
    player.x += 1
    return dungeon.tiles[player.x]""",
    """def test_demo_numbers():
    assert sorted([3, 1, 2]) == [1, 2, 3]""",
    """def demo_fake_data(rng, count):
    return [rng.random() for _ in range(count)]""",
    """def next_token(text, at):
    end = text.find(" ", at)
    return text[at : end if end >= 0 else len(text)]""",
    """class TokenStream:
    def __init__(self, tokens):
        self.tokens, self.at = tokens, 0

    def peek_token(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None""",
    """def draw_widget(canvas, button, theme):
    canvas.fill(theme.palette[button.state])
    return canvas""",
    """def with_lock(mutex, job):
    with mutex:
        return job()""",
    '''def plural_of(noun, article):
    return f"{article} {noun}s"''',
    """def lap_times(laps, horse):
    return [lap.seconds for lap in laps if lap.horse is horse]""",
    """def restart_container(docker, pod):
    return docker.restart(pod.container, timeout=3)""",
    """def mortality_table(rows):
    return {row[0]: float(row[1]) for row in rows}""",
)
"""Definitions of other worlds, in Python."""

FUNCTIONS = (
    "static int evict_cache(long mtime, long ttl)\n{\n    return mtime > ttl;\n}",
    "static int walk_graph(int node, int depth)\n{\n    return depth ? walk_graph(node, 0) : node;\n}",
    "static int step_game(int hp, int damage)\n{\n    return hp - damage;\n}",
    "static int next_token(int at, int length)\n{\n    return at + length;\n}",
    "static int test_demo(int answer)\n{\n    return answer == 42;\n}",
    "static int draw_widget(int button, int theme)\n{\n    return button ^ theme;\n}",
    "static int lap_time(int start, int finish)\n{\n    return finish - start;\n}",
)
"""The same in C."""
