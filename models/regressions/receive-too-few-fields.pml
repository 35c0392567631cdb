// A receive with fewer fields than the messages waits until they match, and is an error then. A copying receive and a
// poll look at the first fields only. Checked against SPIN 6.5.2 ("missing pars in receive").
//
// expect verdict=violated kind=channel-misuse
// expect -DELSEWHERE verdict=holds
// expect -DELSEWHERE por=off states=9 matched=0 transitions=9 errors=0
// expect -DELSEWHERE por=on states=9 matched=0 transitions=9 errors=0

chan q = [2] of { byte, byte };

active proctype P() {
   byte x;
   q!1,2;
   q?<x>;
   assert(x == 1 && len(q) == 1);
   q??<1>;
   q?[1];
end:
   if
#ifdef ELSEWHERE
   :: q?7
   :: q??8
#else
   :: q?1
#endif
   :: x < 2 -> x = 2
   fi
}
