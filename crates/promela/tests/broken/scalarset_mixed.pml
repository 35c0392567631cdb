scalarset PID[3];
scalarset ADR[3];
ADR a;
PID x;
active [PID] proctype P(PID id) { a = id; x == a }
