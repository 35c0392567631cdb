// p: violated, holds, holds
byte x;
active proctype A(){ do :: x=1; progress: x=0 :: x=2; x=0 od }
active proctype B(){ byte i; do :: i=1-i od }
ltl p { []<> (x==0) }
