// error: line 6: `_pid` stands for the process that asks, and a formula is not one
byte x;
active proctype p() {
  x = 1
}
ltl own { [] (_pid == 0) }
