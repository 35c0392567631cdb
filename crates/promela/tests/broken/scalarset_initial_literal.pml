scalarset PID[3];
PID turn = 0;
active [PID] proctype P(PID id) { turn = id }
