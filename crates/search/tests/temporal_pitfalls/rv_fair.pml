// p: violated, violated, violated
chan c=[0] of {bit}; bit got; bit z;
active proctype P(){ do :: c!1 :: z=1-z od }
active proctype Q(){ do :: c?_ -> got=1 :: z==1 -> got=0 od }
ltl p { []<> (got==1) }
