// p: violated, violated, violated
// q: violated, violated, violated
// r: holds, holds, holds
byte x;
active proctype A(){ if :: x=1 :: x=2; do :: x=3; x=2 od fi }
active proctype B(){ byte i; i=1; i=2 }
ltl p { <>[] (x==1) }
ltl q { <> (x==3) }
ltl r { []<> (x==2 || x==1) }
