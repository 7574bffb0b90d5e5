#include <stdlib.h>

enum race { R_HUMAN, R_ELF, R_DWARF, R_ORC, R_COUNT };

struct monster {
    enum race race;
    int hp, mana, level;
};

static const int race_hp[R_COUNT] = { [R_HUMAN] = 10, [R_ELF] = 8, [R_DWARF] = 12, [R_ORC] = 14 }; /* silent: game table */

void spawn(struct monster *m, enum race race, int level)
{
    m->race = race;
    m->level = level;
    m->hp = race_hp[race] * level; /* silent: game rule */
    m->mana = race == R_ELF ? 5 * level : 0; /* silent: game rule */
}

int hit(const struct monster *attacker, struct monster *victim)
{
    int damage = rand() % 6 + attacker->level;
    if (attacker->race == R_ORC && victim->race == R_DWARF) /* silent: game rule */
        damage *= 2;
    victim->hp -= damage;
    return victim->hp <= 0;
}
