// p: holds, holds, holds
// q: holds, holds, holds
// r: holds, holds, holds
byte x;
proctype C(){ x=1; x=0 }
init { do :: _nr_pr==1 -> run C() od }
ltl p { []<> (x==1) }
ltl q { []<> (_nr_pr==1) }
ltl r { []<> (_nr_pr==2) }
