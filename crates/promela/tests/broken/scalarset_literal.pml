// error: line 5: `0` is a number, but `turn` is a member of `PID`
// error: line 5: `1` is a number, but `turn` is a member of `PID`
scalarset PID[3];
PID turn;
active [PID] proctype P(PID id) { turn == 0 -> turn = 1 }
