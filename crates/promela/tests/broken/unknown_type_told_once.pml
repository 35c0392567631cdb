// error: line 3: type `Missing` is not declared
// error: line 5: type `Absent` is not declared
Missing x;

init { Absent y; x = 1; y = x + 1; y.f = x.g }
