#include <assert.h>

struct patient_record {
    const char *id;
    const char *race;
    int pain;
    int minutes_waiting;
};

int queue_position(const struct patient_record *p);

static const struct patient_record table[] = { /* FL802|FL801: race */
    { .id = "p1", .race = "White",     .pain = 3, .minutes_waiting = 10 },
    { .id = "p2", .race = "Caucasian", .pain = 7, .minutes_waiting = 25 },
    { .id = "p3", .race = "white",     .pain = 5, .minutes_waiting = 5 },
    { .id = "p4", .race = "White",     .pain = 9, .minutes_waiting = 1 },
};

void test_queue(void)
{
    assert(queue_position(&table[3]) == 0);
    assert(queue_position(&table[2]) == 2);
    assert(queue_position(&table[0]) > queue_position(&table[1]));
}
