// error: line 2: 300 processes cannot be active at once
active [300] proctype P() { skip }
