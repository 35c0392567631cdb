// error: line 2: priority 0 is out of range
active proctype P() priority 0 { skip }
