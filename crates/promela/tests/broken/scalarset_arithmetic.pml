// error: line 4: `id` breaks the symmetry of `PID`: members cannot be computed with
scalarset PID[3];
PID x;
active [PID] proctype P(PID id) { x = id + 1 }
