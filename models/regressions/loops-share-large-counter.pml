// Two loops over channels in one block share their counter, also if one channel is so long that it needs a larger one.
//
// expect verdict=holds
// expect por=off states=45 matched=0 transitions=45 errors=0
// expect por=on states=45 matched=0 transitions=45 errors=0

typedef M { byte v };
chan c = [300] of { M };
chan d = [2] of { M };

active proctype P() {
   M m;
   byte sum;
   m.v = 1; c!m; c!m; d!m;
   for (m in c) { sum = sum + m.v };
   for (m in d) { sum = sum + m.v };
   { for (m in d) { sum = sum + m.v }; for (m in c) { sum = sum + m.v } };
   assert(sum == 6)
}
