// p: violated, violated, holds
// q: holds, holds, holds
// r: violated, violated, holds
// s: holds, holds, holds
// t: holds, holds, holds
byte l=3; byte c[3];
active [3] proctype P(){ do :: atomic { l==3 -> l=_pid }; c[_pid]=1; c[_pid]=0; l=3 od }
ltl p { []<> (c[0]==1) }
ltl q { []<> (c[0]==1 || c[1]==1 || c[2]==1) }
ltl r { [] (c[1]==1 -> <> (l==0)) }
ltl s { [] !(c[0]==1 && c[1]==1) }
ltl t { <> (c[0]==1 || c[1]==1 || c[2]==1) }
