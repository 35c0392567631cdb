// p: violated, violated, violated
// q: holds, holds, holds
byte x,y;
active proctype A(){ { do :: x=1 ; x=0 od } unless { y==1 -> x=5 } }
active proctype B(){ do :: y=0 :: y=1 -> break od }
ltl p { <>[] (x==5) }
ltl q { [] (y==1 -> <> (x==5)) }
