// An event of a trace with fewer fields than the messages looks at the first ones only, and not at `_pid`. The counts are
// SPIN's.
//
// expect verdict=holds
// expect por=off states=4 matched=0 transitions=4 errors=0
// expect por=on states=4 matched=0 transitions=4 errors=0
// expect -DOTHER verdict=violated kind=trace

chan q = [2] of { byte, byte };

trace {
   do
#ifdef OTHER
   :: q!3
#else
   :: q!1
#endif
   :: q?1,_pid
   :: q?4
   od
}

active proctype P() {
   byte x, y;
   q!1,2;
   q?x,y
}
