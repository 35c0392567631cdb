// error: line 2 of part.h: `fine` is declared twice
#include "part.h"
active proctype P() { skip }
