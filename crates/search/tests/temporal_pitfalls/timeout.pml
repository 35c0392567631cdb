// p: holds, holds, holds
// q: holds, holds, holds
byte x; 
active proctype A(){ do :: timeout -> x=1-x od }
active proctype B(){ byte i; do :: i<2 -> i++ :: i==2 -> break od }
ltl p { []<> (x==1) }
ltl q { <> (x==1) }
