// error: line 3: scalarset `NONE` is not declared
scalarset PID[3];
active proctype P() { forall (i : NONE) (i == i) }
