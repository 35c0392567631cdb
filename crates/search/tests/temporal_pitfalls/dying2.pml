// p: holds, holds, holds
// q: holds, holds, holds
// r: holds, holds, holds
byte x; byte y;
proctype C(){ x=1; y = 1 }
active proctype D(){ do :: y==1 -> y = 0 od }
init { run C(); run C() }
ltl p { <>[] (y==0) }
ltl q { <> (_nr_pr==1) }
ltl r { [] (y==1 -> <> (y==0)) }
