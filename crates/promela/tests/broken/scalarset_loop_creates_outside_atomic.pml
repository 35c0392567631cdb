// error: line 4: processes are created for the members of a scalarset in one `atomic` of `init` only
scalarset PID[3];
proctype P(PID id) { id == undef }
init { for (j : PID) { run P(j) } }
