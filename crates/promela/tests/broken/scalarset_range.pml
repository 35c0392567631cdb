scalarset PID[3];
PID i;
active proctype P() { for (i : 0 .. 2) { skip }; select (i : 0 .. 2) }
