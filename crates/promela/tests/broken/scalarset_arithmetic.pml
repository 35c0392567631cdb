scalarset PID[3];
PID x;
active [PID] proctype P(PID id) { x = id + 1 }
