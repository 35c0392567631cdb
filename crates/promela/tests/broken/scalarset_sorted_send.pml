// error: line 4: a sorted send puts messages in order, but members of `PID` have none
scalarset PID[3];
chan q = [3] of { byte, PID };
active [PID] proctype P(PID id) { q!!1,id }
