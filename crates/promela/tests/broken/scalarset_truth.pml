scalarset PID[3];
PID turn;
active [PID] proctype P(PID id) { if :: turn -> skip :: !id fi }
