// error: line 2: an array cannot have 0 elements
byte a[0];
active proctype P() { skip }
