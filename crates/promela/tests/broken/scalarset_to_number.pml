scalarset PID[3];
byte b;
active [PID] proctype P(PID id) { b = id }
