// p: violated, violated, violated
byte x;
active proctype A(){ do :: x=1; accept: x=0; x=3 :: x=2; x=0 od }
active proctype B(){ byte i; do :: i=1-i od }
ltl p { []<> (x==2) }
