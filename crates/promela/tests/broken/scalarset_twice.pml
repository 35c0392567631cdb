// error: line 3: scalarset `PID` is declared twice
scalarset PID[3];
scalarset PID[2];
PID b;
active proctype P() { b = undef }
