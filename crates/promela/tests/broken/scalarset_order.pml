// error: line 5: `turn` breaks the symmetry of `PID`: members may only be compared with == or !=
// error: line 5: `id` breaks the symmetry of `PID`: members may only be compared with == or !=
scalarset PID[3];
PID turn;
active [PID] proctype P(PID id) { turn < id }
