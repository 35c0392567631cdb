// error: line 2: `a` is declared twice
proctype P(byte a; int a) { a = 1 }
init { run P(1, 2) }
