// error: line 2: `#include` must be followed by the name of a file
#include
active proctype P() { skip }
