scalarset PID[3];
proctype P(PID id) { id == undef }
init { atomic { run P(0); run P(1) } }
