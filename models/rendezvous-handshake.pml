// Connection set-up by a three-way handshake over rendezvous channels. Each of N clients picks a
// number, the server answers with its own; both must agree on the pair before the connection is open.
// Checked: the pair agrees on both sides (assertion), the server serves one client at a time.
//
// expect verdict=holds
// expect por=off states=10069 matched=14773 transitions=24842 errors=0
// expect por=on states=2401 matched=477 transitions=2878 errors=0

#ifndef N
#define N 2
#endif
#define MOD 3

mtype = { syn, synack, fin };

chan up = [0] of { mtype, byte, byte };         /* client number, value */
chan confirm = [0] of { byte, byte, byte };     /* client number, both values */
chan down[N] = [0] of { mtype, byte, byte };
byte open;

proctype client(byte me)
{
   byte mine, theirs;

   do
   :: select (mine : 0 .. MOD - 1);
      up!syn(me, mine);
      down[me]?synack(eval((mine + 1) % MOD), theirs);
      confirm!me, mine, (theirs + 1) % MOD;
      assert(open == 1);
      up!fin(me, theirs)
   od
}

active proctype server()
{
   byte who, x, mine;

end:
   do
   :: up?syn(who, x) ->
      down[who]!synack((x + 1) % MOD, mine);
      atomic {
         confirm?eval(who), eval(x), eval((mine + 1) % MOD);
         open++
      };
      up?fin(eval(who), eval(mine));
      d_step { open--; mine = (mine + 1) % MOD; who = 0; x = 0 }
   od
}

init {
   byte i;
   atomic {
      for (i : 0 .. N - 1) {
         run client(i)
      }
   }
}
