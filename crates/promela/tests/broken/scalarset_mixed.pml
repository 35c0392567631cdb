// error: line 7: `id` is a member of `PID`, but `a` is of `ADR`
// error: line 7: `a` is a member of `ADR`, but `x` is of `PID`
scalarset PID[3];
scalarset ADR[3];
ADR a;
PID x;
active [PID] proctype P(PID id) { a = id; x == a }
