// error: line 2: files include one another more than 64 deep
#include "include_of_itself.pml"
active proctype P() { skip }
