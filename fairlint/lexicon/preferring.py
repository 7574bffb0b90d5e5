"""Groups of people as running text names them, and the words by which it prefers or avoids them.

On bytes: this decides whether a source is parsed at all, and whether its texts are put together.
"""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False  # importing typing would take as long as the search
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WORD = re.compile(rb"[\w\x80-\xff]+")
_GROUPS = (
    "women men woman man male males female females lady ladies gentleman gentlemen boys girls salesman "
    "salesmen saleswoman saleswomen young younger youngsters youthful elderly seniors retirees "
    "millennials boomers immigrant immigrants foreigners migrants refugees muslim muslims christian "
    "christians jews jewish hindu hindus catholic catholics hispanic hispanics latino latinos latina "
    "latinas asian asians caucasian caucasians african africans indian indians chinese american "
    "americans european europeans mexican mexicans arab arabs unmarried childless pregnant mothers "
    "fathers lesbian lesbians gay gays homosexual homosexuals heterosexual heterosexuals transgender "
    "veterans disabilities wheelchair girl guys gypsies masculine feminine protestant protestants "
    "islamic queer lgbt lgbtq latinx migrant minorities pensioners queers deaf autistic neurodivergent "
    "handicapped gypsy blacks whites foreman foremen families kids"
).split()
"""Words that name a group of people by themselves."""
_WITH_A_NOUN = (
    "black white old older single married native foreign straight mature disabled local working healthy "
    "divorced able nigerian pakistani german french polish turkish russian british english irish "
    "romanian ukrainian syrian japanese korean senior digital recent gen roma trans youth aging ageing "
    "blind arabic us natives"
).split()
_NOUNS = (
    "bodied people persons? candidates? applicants? individuals? employees? workers? students? tenants? "
    "borrowers? customers? professionals? parents couples? speakers? nationals? citizens? staff drivers? "
    "engineers? developers? nurses? teachers? managers? adults? users? patients? graduates? accents? "
    "names? sounding born origin descent backgrounds? nationality"
).split()
_NUMBERED = "over above under below than aged age between".split()
GROUP = (
    rf"(?i)\b(?:{'|'.join(_GROUPS)}|(?:{'|'.join(_WITH_A_NOUN)})[ -]+(?:[a-z]+[ -]+)?(?:{'|'.join(_NOUNS)})"
    rf"|(?:{'|'.join(_NUMBERED)}) (?:the age of |of )?[1-9][0-9])\b"
)
"""A group of people that a text may prefer or avoid, in an expression that re and RE2 understand."""
_ALONE = frozenset(word.encode() for word in _GROUPS)
_GAPS = (b" ", b"-")
_WITH_MORE = frozenset(word.encode() for word in (*_WITH_A_NOUN, *_NUMBERED))
_FAR = 160
"""Bytes around a group's name in which a text says to prefer or avoid it."""
PREFERRING = (
    rb"(?i)\b(?:prefer\w*|favou?r\w*|prioriti\w+|priority|avoid|reject|exclude|refuse|decline|penali[sz]e"
    rb"|downgrade|deduct|skip|discard|only|do not|don'?t|never|must be|should be|has to be|looking for"
    rb"|seek\w*|search\w* for|wanted|want|ideal\w*|advantage|bonus|extra points|higher|lower|hire|hiring"
    rb"|recruit\w*|wary|suspicious|s[ck]eptical"
    rb"|lenient|generous|forgiving|easy on|benefit of|blind eye|strict\w*|harsh\w*"
    rb"|tough\w*|hard(?:er)? on|extra"
    rb"|no (?:women|men|females?|males?|foreign\w+|immigrants?|one))\b"
)


@cache
def compiled(expression: bytes) -> re.Pattern[bytes]:
    """Compiled where it is first needed."""
    return re.compile(expression)


def may_prefer(texts: bytes) -> bool:
    """Whether any of some texts names a group of people and says close by to prefer or avoid somebody."""
    words = [match.span() for match in _WORD.finditer(texts)]
    return any(is_near_preferring(texts, at) for at in groups_among(texts, words))


def groups_among(data: bytes, words: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Which of some words begin the name of a group."""
    for start, end in words:
        word = data[start:end].lower()
        if word in _ALONE or (
            word in _WITH_MORE
            and data[end : end + 1] in _GAPS
            and data[end + 1 : end + 2].isalnum()
            and compiled(GROUP.encode()).match(data, start)
        ):
            yield start


def is_near_preferring(data: bytes, at: int) -> bool:
    """Whether words of preferring or avoiding stand near a place."""
    return compiled(PREFERRING).search(data, max(0, at - _FAR), at + _FAR) is not None
