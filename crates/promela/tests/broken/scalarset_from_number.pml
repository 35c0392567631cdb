scalarset PID[3];
byte b;
PID x;
active [PID] proctype P(PID id) { x = b; x = _pid }
