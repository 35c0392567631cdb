// error: line 5: `0` is a number, but the parameter of `P` is a member of `PID`
// error: line 5: `1` is a number, but the parameter of `P` is a member of `PID`
scalarset PID[3];
proctype P(PID id) { id == undef }
init { atomic { run P(0); run P(1) } }
