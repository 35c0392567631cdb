// error: line 7: `PID` has no member `3`
// error: line 8: `PID` has no member `3`
scalarset PID[3];
PID owner;
bool waiting[PID];
active [PID] proctype P(PID me) { waiting[me] = 1; owner = me }
ltl a { []<> waiting[3] }
ltl b { []<> (owner == 3) && <> waiting[2] }
