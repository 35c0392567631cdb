// error: line 2: mtype `colour` is not declared
mtype:colour c;
active proctype P() { skip }
