scalarset PID[3];
proctype P(PID id) { id == undef }
init { for (j : PID) { run P(j) } }
