// error: line 2: `od` is a reserved word and cannot be the name of a variable
byte od;
active proctype P() { skip }
