scalarset PID[3];
bool flag[PID];
active [PID] proctype P(PID id) { for (j : PID) { for (k : PID) { flag[k] = 1 } } }
