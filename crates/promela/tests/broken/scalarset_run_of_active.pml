scalarset PID[3];
active [PID] proctype P(PID id) { id == undef }
init { run P(undef) }
