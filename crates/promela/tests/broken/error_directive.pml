// error: line 3: #error: "give -DN=3"
#ifndef N
#error "give -DN=3"
#endif
active proctype P() { skip }
