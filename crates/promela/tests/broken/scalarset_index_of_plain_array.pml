// error: line 4: `id` is a member of `PID`, but the index of `flag` is a number
scalarset PID[3];
bool flag[3];
active [PID] proctype P(PID id) { flag[id] = 1 }
