// error: line 5: the iterations of this loop depend on their order: they share `last`
scalarset PID[3];
byte last;
bool flag[PID];
active [PID] proctype P(PID id) { for (j : PID) { if :: flag[j] -> last = 1 :: else -> last = 2 fi } }
