scalarset PID[3];
byte b;
active [PID] proctype P(PID id) { b = undef; undef == undef }
