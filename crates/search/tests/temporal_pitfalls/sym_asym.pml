// p: violated, holds, holds
// q: violated, holds, holds
// r: violated, violated, violated
// s: violated, holds, holds
byte n[3];
active [3] proctype P(){ do :: n[_pid]==0 -> n[_pid]=1 :: n[_pid]==1 -> n[_pid]=0 od }
ltl p { []<> (n[0]==1) }
ltl q { []<> (n[0]==1) -> []<> (n[1]==1) }
ltl r { <> (n[0]==1 && n[1]==0) }
ltl s { [] (n[0]==1 -> <> (n[2]==1)) }
