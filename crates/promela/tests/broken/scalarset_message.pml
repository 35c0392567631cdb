// error: line 6: `id` is a member of `PID`, but the field of `q` is a number
// error: line 6: `b` is a number, but the field of `q` is a member of `PID`
// error: line 6: `2` is a number, but the field of `q` is a member of `PID`
scalarset PID[3];
chan q = [1] of { PID, byte };
active [PID] proctype P(PID id) { byte b; q!id,id; q?b,b; q?2,_ }
