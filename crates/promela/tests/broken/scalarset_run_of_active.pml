// error: line 4: `P` is active already: its processes are members of a scalarset
scalarset PID[3];
active [PID] proctype P(PID id) { id == undef }
init { run P(undef) }
