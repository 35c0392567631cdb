scalarset PID[3];
active [PID] proctype P(PID id) { here: enabled(id) && P[id]@here }
