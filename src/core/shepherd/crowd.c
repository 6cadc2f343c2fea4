#include "core/shepherd/crowd.h"

bool crowd_may_try(const struct crowd *c, double won, uint32_t open, uint32_t running)
{
    double wins = (won + 1) / (c->tried + 2);
    double most = CROWD_MIN + 2 * wins * c->ended / CROWD_EVERY;
    return open <= running / CROWD_EVERY && c->tried < most;
}
