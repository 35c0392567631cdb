// error: line 3: `red` is declared twice as an mtype name
mtype = { red, green };
mtype = { blue, red };
active proctype P() { skip }
