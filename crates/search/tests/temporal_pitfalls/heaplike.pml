// p: holds, holds, holds
// q: violated, violated, violated
// s: violated, holds, holds
chan free=[2] of {byte}; byte own[2]; byte r;
active [2] proctype P(){ byte m; do :: free?m; own[m]=_pid+1; r=1; own[m]=0; free!m; r=0 od }
init { free!0; free!1 }
ltl p { []<> (r==1) }
ltl q { []<> (own[0]==1) }
ltl s { [] (own[0]==1 -> <> (own[0]==0)) }
