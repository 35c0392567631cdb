// error: line 6: `undef` stands for no member of a scalarset, but `b` is a number
// error: line 6: `undef` stands for no member of a scalarset, but a number is needed here
// error: line 6: `undef` stands for no member of a scalarset, but a number is needed here
scalarset PID[3];
byte b;
active [PID] proctype P(PID id) { b = undef; undef == undef }
