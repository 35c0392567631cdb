// SPIN does not look into the arguments of run.
byte g;
proctype P(byte n) { (n < 5); g = n }
active proctype A() { pid p; p = run P(g); p = 0; p = run P(g + 1); g = 3 }
active proctype B() { g = 1; g = 2 }
