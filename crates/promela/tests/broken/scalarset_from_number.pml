// error: line 6: `b` is a number, but `x` is a member of `PID`
// error: line 6: `_pid` is a number, but `x` is a member of `PID`
scalarset PID[3];
byte b;
PID x;
active [PID] proctype P(PID id) { x = b; x = _pid }
