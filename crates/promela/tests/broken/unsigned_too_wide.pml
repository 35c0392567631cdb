// error: line 2: a width of 40 bits is out of range
unsigned u : 40;
active proctype P() { skip }
