// Two loops over channels in one block share their counter.
//
// expect verdict=holds
// expect por=off states=154 matched=82 transitions=236 errors=0
// expect por=on states=101 matched=13 transitions=114 errors=0

typedef M { byte v };
chan c = [2] of { M };
chan d = [2] of { M };

active proctype P() {
   M m;
   byte sum;
   m.v = 1; c!m; c!m; d!m;
   for (m in c) { sum = sum + m.v };
   for (m in d) { sum = sum + m.v }
}

active proctype Q() {
   M m;
   d!m
}
