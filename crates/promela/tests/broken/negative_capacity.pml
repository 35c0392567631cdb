// error: line 2: a channel cannot hold -1 messages
chan c = [-1] of { byte };
active proctype P() { skip }
