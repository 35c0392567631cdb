// p: violated, violated, holds
// q: holds, holds, holds
// r: holds, holds, holds
chan c=[1] of {byte}; byte g;
active proctype A(){ do :: c!1 od }
active proctype B(){ do :: c!2 od }
active proctype C(){ byte m; do :: c?m -> g=m od }
ltl p { []<> (g==1) }
ltl q { []<> (len(c)==1) }
ltl r { []<> (g==1 || g==2) }
