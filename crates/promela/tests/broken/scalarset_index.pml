// error: line 6: `b` is a number, but the index of `flag` is a member of `PID`
// error: line 6: `0` is a number, but the index of `flag` is a member of `PID`
scalarset PID[3];
bool flag[PID];
byte b;
active [PID] proctype P(PID id) { flag[b] = 1; flag[0] = 1 }
