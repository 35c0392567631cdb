scalarset PID[3];
PID turn;
active [PID] proctype P(PID id) { turn == 0 -> turn = 1 }
