// p: holds, holds, holds
// q: holds, holds, holds
// r: violated, violated, violated
// s: violated, violated, violated
byte x;
active [3] proctype P(){ x++; x-- }
ltl p { <> (_nr_pr==0) }
ltl q { <> [] (x==0) }
ltl r { <> (x==3) }
ltl s { [] (x<3) }
