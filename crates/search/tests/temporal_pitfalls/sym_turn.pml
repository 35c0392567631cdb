// p: holds, holds, holds
// q: holds, holds, holds
// r: violated, violated, violated
byte turn; byte w[3];
active [3] proctype P(){ do :: turn==_pid -> w[_pid]=1; w[_pid]=0; turn=(turn+1)%3 od }
ltl p { []<> (w[0]==1) && []<> (w[1]==1) && []<> (w[2]==1) }
ltl q { [] (w[0]==1 -> (w[1]==0 U w[2]==0)) }
ltl r { <>[] (turn!=2) }
