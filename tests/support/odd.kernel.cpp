// "quotes", back\slash; semi;colons [brackets] @at@ ${dollar} ä
#include <attune/tunable.hpp>

int odd(int x) { return ATTUNE_TUNABLE(STEP, 1) * x; }
