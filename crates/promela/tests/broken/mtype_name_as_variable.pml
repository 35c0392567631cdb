// error: line 3: `red` is already an mtype name
mtype = { red };
byte red;
active proctype P() { skip }
