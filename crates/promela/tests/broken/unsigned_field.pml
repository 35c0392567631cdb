// error: line 2: `unsigned` cannot be the type of a message field
chan c = [1] of { unsigned };
active proctype P() { skip }
