// p: violated, violated, violated
// q: holds, holds, holds
// r: holds, holds, holds
byte x; chan c=[0] of {bit};
active proctype A(){ c!1; x=1 }
active proctype B(){ if :: c?_ :: x=2 fi }
ltl p { <> (x==1) }
ltl q { <> (x>0) }
ltl r { <>[] (x==2 || x==1) }
