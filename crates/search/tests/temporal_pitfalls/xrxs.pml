// p: holds, holds, holds
// q: holds, holds, holds
// r: violated, violated, violated
chan c=[1] of {byte}; chan d=[1] of {byte}; byte g;
active proctype A(){ xs c; xr d; do :: c!1; d?_ od }
active proctype B(){ xr c; xs d; do :: c?_; g=1-g; d!1 od }
ltl p { []<> (g==1) }
ltl q { []<> (len(c)==1 && g==1) }
ltl r { <>[] (len(d)==0) }
