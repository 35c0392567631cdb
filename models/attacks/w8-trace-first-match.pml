// A trace follows the first event that matches, so that the order of its options matters. (SPIN's verifier stops where
// two events match.)
//
// expect verdict=violated kind=trace
// expect -DV=1 verdict=violated kind=trace
// expect -DV=2 verdict=violated kind=trace
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
chan q = [1] of { byte, byte };
byte o = 9;

active [2] proctype P()
{
   byte a = 9, b = 9;
end:
   do
   :: atomic { o == 9 -> o = _pid }
   :: atomic {
         o == _pid && nfull(q) ->
         if
         :: b = 0
         :: b = 1
         fi;
         if
         :: b != _pid -> q!_pid,b
         :: else
         fi;
         b = 9
      }
   :: atomic { q?a,b -> a = 9; b = 9 }
   od
}

trace {
endS:
   if
   :: q!0,_ -> goto endT1
   :: q!_,0 -> goto endT2
   :: q!1,_ -> goto endT1
   :: q!_,1 -> goto endT2
   fi;
endT1:
   q?_,_; goto endT1;
endT2:
   q?_,_; goto endS
}
#elif V == 1
chan q = [1] of { byte, byte };
byte o = 9;

active [2] proctype P()
{
   byte a = 9, b = 9;
end:
   do
   :: atomic { o == 9 -> o = _pid }
   :: atomic {
         o == _pid && nfull(q) ->
         if
         :: b = 0
         :: b = 1
         fi;
         if
         :: b != _pid -> q!_pid,b
         :: else
         fi;
         b = 9
      }
   :: atomic { q?a,b -> a = 9; b = 9 }
   od
}

trace {
endS:
   if
   :: q!_,1 -> goto endT1
   :: q!0,_ -> goto endT2
   :: q!_,0 -> goto endT1
   :: q!1,_ -> goto endT2
   fi;
endT1:
   q?_,_; goto endT1;
endT2:
   q?_,_; goto endS
}
#elif V == 2
chan q = [1] of { byte, byte };
byte o = 9;

active [2] proctype P()
{
   byte a = 9, b = 9;
end:
   do
   :: atomic { o == 9 -> o = _pid }
   :: atomic {
         o == _pid && nfull(q) ->
         if
         :: b = 0
         :: b = 1
         fi;
         if
         :: b != _pid -> q!_pid,b
         :: else
         fi;
         b = 9
      }
   :: atomic { q?a,b -> a = 9; b = 9 }
   od
}

trace {
endS:
   q!_,_;
   if
   :: q?0,_ -> goto endT
   :: q?_,0 -> goto endS
   :: q?1,_ -> goto endT
   :: q?_,1 -> goto endS
   fi;
endT:
   q?_,_; goto endT
}
#elif V == 3
chan q = [1] of { byte, byte };
byte o = 9;

active [2] proctype P()
{
   byte a = 9, b = 9;
end:
   do
   :: atomic { o == 9 -> o = _pid }
   :: atomic {
         o == _pid && nfull(q) ->
         if
         :: b = 0
         :: b = 1
         fi;
         if
         :: b != _pid -> q!_pid,b
         :: else
         fi;
         b = 9
      }
   :: atomic { q?a,b -> a = 9; b = 9 }
   od
}

trace {
endS:
   if
   :: q!0,_ -> goto endT
   :: q!1,_ -> goto endT
   fi;
endT:
   q?_,_; goto endS
}
#endif
