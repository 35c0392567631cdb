// error: line 4: `id` is a member of `PID`, but `b` is a number
scalarset PID[3];
byte b;
active [PID] proctype P(PID id) { b = id }
