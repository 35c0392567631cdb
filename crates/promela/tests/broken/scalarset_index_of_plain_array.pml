scalarset PID[3];
bool flag[3];
active [PID] proctype P(PID id) { flag[id] = 1 }
