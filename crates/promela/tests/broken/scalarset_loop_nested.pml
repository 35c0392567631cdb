// error: line 4: a loop over a scalarset cannot stand in another one
scalarset PID[3];
bool flag[PID];
active [PID] proctype P(PID id) { for (j : PID) { for (k : PID) { flag[k] = 1 } } }
