// error: line 3: `0` is a number, but `turn` is a member of `PID`
scalarset PID[3];
PID turn = 0;
active [PID] proctype P(PID id) { turn = id }
