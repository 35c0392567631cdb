scalarset PID[3];
chan q = [1] of { PID, byte };
active [PID] proctype P(PID id) { byte b; q!id,id; q?b,b; q?2,_ }
