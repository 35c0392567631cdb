// p: violated, holds, holds
chan c=[0] of {bit}; chan d=[0] of {bit}; byte n;
active proctype A(){ do :: c!1 -> n=1 od }
active proctype B(){ do :: c?_ :: d?_ od }
active proctype C(){ do :: d!1 -> n=2 od }
ltl p { []<> (n==1) && []<> (n==2) }
