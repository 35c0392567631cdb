// Dijkstra's self-stabilizing token ring with K-state machines: from an arbitrary start the ring
// reaches, and never leaves, the states with exactly one privilege. All start values are tried.
// Checked: there is always at least one privilege (so no deadlock), and once there is one there is
// never more than one (assertions).
//
// expect verdict=holds
// expect por=off states=251 matched=45 transitions=296 errors=0
// expect por=on states=251 matched=45 transitions=296 errors=0
// expect -DN=4 por=off states=2214 matched=640 transitions=2854 errors=0
// expect -DN=4 por=on states=2214 matched=640 transitions=2854 errors=0

#ifndef N
#define N 3
#endif
#ifndef K
#define K N
#endif

byte s[N];
byte privileges;
bool stable;

inline count()
{
   privileges = (s[0] == s[N - 1]);
   j = 1;
   do
   :: j < N -> privileges = privileges + (s[j] != s[j - 1]); j++
   :: else -> break
   od;
   j = 0;
   assert(privileges > 0);
   assert(!stable || privileges == 1);
   stable = (privileges == 1)
}

proctype bottom()
{
   byte j;

   do
   :: atomic {
         s[0] == s[N - 1] ->
         s[0] = (s[0] + 1) % K;
         count()
      }
   od
}

proctype other(byte i)
{
   byte j;

   do
   :: atomic {
         s[i] != s[i - 1] ->
         s[i] = s[i - 1];
         count()
      }
   od
}

init {
   byte j, v;

   for (j : 0 .. N - 1) {
      select (v : 0 .. K - 1);
      s[j] = v
   };
   atomic {
      v = 0;
      count();
      run bottom();
      for (j : 1 .. N - 1) {
         run other(j)
      };
      j = 0
   }
}
