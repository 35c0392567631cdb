// error: line 3: `x` is declared twice
byte x;
int x;
active proctype P() { x = 1 }
