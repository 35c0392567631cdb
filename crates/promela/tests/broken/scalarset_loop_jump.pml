scalarset PID[3];
bool flag[PID];
active [PID] proctype P(PID id) { do :: for (j : PID) { if :: flag[j] -> break :: else fi } od }
