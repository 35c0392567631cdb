// p: violated, violated, violated
// q: holds, holds, holds
// r: violated, holds, holds
// s: violated, holds, holds
byte x;
active proctype A(){ byte i; l0: do :: i=1; l1: i=2; x=1-x :: i=0 od }
active proctype B(){ byte j; do :: j=1-j od }
ltl p { []<> A@l1 }
ltl q { [] (A[0]:i < 3) }
ltl r { [] (A@l1 -> <> (A[0]:i==2)) }
ltl s { []<> (B[1]:j==1) }
