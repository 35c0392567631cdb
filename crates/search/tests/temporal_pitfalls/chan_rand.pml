// p: violated, violated, violated
// r: violated, violated, violated
chan c=[2] of {byte}; byte g;
active proctype A(){ do :: c!1 :: c!2 od }
active proctype C(){ do :: c??2 -> g=2 :: c??1 -> g=1 od }
ltl p { []<> (g==2) }
ltl r { [] (c?[2] -> <> (g==2)) }
