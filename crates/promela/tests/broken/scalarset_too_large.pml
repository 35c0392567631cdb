scalarset PID[3];
scalarset BIG[300];
BIG b;
active proctype P() { b = undef }
