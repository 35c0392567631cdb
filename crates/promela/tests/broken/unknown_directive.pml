// error: line 2: `#defin` is not a directive
#defin N 3
active proctype P() { skip }
