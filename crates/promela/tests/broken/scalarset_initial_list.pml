scalarset PID[3];
byte b[PID] = { 1, 2, 3 };
active [PID] proctype P(PID id) { b[id] = 1 }
