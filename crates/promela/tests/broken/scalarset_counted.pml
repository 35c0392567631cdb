// error: line 4: `x` breaks the symmetry of `PID`: members cannot be counted
scalarset PID[3];
PID x;
active [PID] proctype P(PID id) { x++ }
