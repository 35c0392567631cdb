// error: line 2: 3 initial values for 2 elements
byte a[2] = { 1, 2, 3 };
active proctype P() { skip }
