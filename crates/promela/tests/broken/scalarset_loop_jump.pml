// error: line 5: `do` and `break` cannot stand in a loop over a scalarset
// error: line 5: a jump out of a d_step is not allowed
scalarset PID[3];
bool flag[PID];
active [PID] proctype P(PID id) { do :: for (j : PID) { if :: flag[j] -> break :: else fi } od }
