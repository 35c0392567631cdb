// error: line 2: `unsigned u` has no width
unsigned u;
active proctype P() { skip }
