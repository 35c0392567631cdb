scalarset PID[3];
bool flag[PID];
byte b;
active [PID] proctype P(PID id) { flag[b] = 1; flag[0] = 1 }
