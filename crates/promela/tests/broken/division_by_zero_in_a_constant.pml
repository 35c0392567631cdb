// error: line 2: division by zero in a constant
byte a[4 / 0];
active proctype P() { skip }
