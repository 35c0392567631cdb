scalarset PID[3];
active proctype P() { forall (i : NONE) (i == i) }
