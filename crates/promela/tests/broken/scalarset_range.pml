// error: line 5: `i` breaks the symmetry of `PID`: members have no first and no last
// error: line 5: `i` breaks the symmetry of `PID`: members have no first and no last
scalarset PID[3];
PID i;
active proctype P() { for (i : 0 .. 2) { skip }; select (i : 0 .. 2) }
