// p: violated, holds, holds
chan c=[0] of {bit}; byte x;
active proctype A(){ do :: atomic { x=1; c!1; x=2 } :: x=0 od }
active proctype B(){ do :: c?_ ; x = 3 od }
ltl p { [] (x==1 -> <> (x==3)) }
