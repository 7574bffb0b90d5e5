#include <stdlib.h>

enum race { RACE_HUMAN, RACE_ELF, RACE_ORC, NUM_RACES };

struct monster {
    enum race race;
    int hp, mana, level;
    int gender;
};

static const int race_hp[NUM_RACES] = { 8, 6, 11 }; /* silent: a game */

void spawn(struct monster *m, enum race race, int level)
{
    m->race = race;
    m->level = level;
    m->gender = rand() % 2; /* silent: a game */
    m->hp = race_hp[race] * level; /* silent: a game */
    if (m->race == RACE_ELF) /* silent: a game */
        m->mana += 10;
}

int infravision(const struct monster *m)
{
    return m->race == RACE_ORC || m->race == RACE_ELF; /* silent: a game */
}
