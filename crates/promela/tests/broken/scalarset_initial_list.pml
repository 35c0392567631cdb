// error: line 3: the members of `PID` start with different values
scalarset PID[3];
byte b[PID] = { 1, 2, 3 };
active [PID] proctype P(PID id) { b[id] = 1 }
