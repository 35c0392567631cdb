// A process that is created in a chain is created with it.
byte g;
proctype P() { g++ }
active proctype A() { pid p; atomic { g = 1; p = run P(); g = 2; p = run P(); g = p } }
