// error: line 2: cannot read `no_such_file.h`: No such file or directory (os error 2)
#include "no_such_file.h"
active proctype P() { skip }
