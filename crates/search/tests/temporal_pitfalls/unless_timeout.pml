// p: holds, holds, holds
// q: holds, holds, holds
byte x,y; chan c=[0] of {bit};
active proctype A(){ do :: { c?_ ; x=1 } unless { timeout -> x=7 } od }
active proctype B(){ do :: y<2 -> c!1; y++ :: y==2 -> break od }
ltl p { <> (x==7) }
ltl q { []<> (x==7) }
