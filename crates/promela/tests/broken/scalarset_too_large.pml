// error: line 3: a scalarset cannot have 300 members
scalarset PID[3];
scalarset BIG[300];
BIG b;
active proctype P() { b = undef }
