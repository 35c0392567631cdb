// error: line 3: proctype `P` is declared twice
active proctype P() { skip }
active proctype P() { skip }
