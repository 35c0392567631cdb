// error: line 4: `id` breaks the symmetry of `PID`: a process id is needed here
// error: line 4: `id` breaks the symmetry of `PID`: a process id is needed here
scalarset PID[3];
active [PID] proctype P(PID id) { here: enabled(id) && P[id]@here }
