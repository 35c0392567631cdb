// p: violated, holds, holds
// q: violated, holds, holds
// r: violated, holds, holds
byte x;
active proctype A(){ byte i; do :: i=(i+1)%3 :: i==2 -> i=0 od }
active proctype B(){ do :: x=1; x=0 od }
active proctype C(){ byte k; k=1; k=2; x=5 }
ltl p { <> (x==5) }
ltl q { []<> (x==1) }
ltl r { []<> (x==0) }
