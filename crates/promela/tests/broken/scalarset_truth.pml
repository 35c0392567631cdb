// error: line 5: `turn` breaks the symmetry of `PID`: a member is neither true nor false
// error: line 5: `id` breaks the symmetry of `PID`: a member is neither true nor false
scalarset PID[3];
PID turn;
active [PID] proctype P(PID id) { if :: turn -> skip :: !id fi }
