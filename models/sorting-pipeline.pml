// Sorting by a pipeline of processes: each cell keeps the smallest number it has seen and passes the
// larger ones on. The numbers come in an arbitrary order. Checked: the cells end up holding 1..N in
// order (assertion), all processes stop. The cells are created one by one by their predecessors.
//
// expect verdict=holds
// expect por=off states=12204 matched=22856 transitions=35060 errors=0
// expect por=on states=4341 matched=2663 transitions=7004 errors=0
// bench -DN=5 por=off states=101529 matched=253245 transitions=354774
// bench -DN=5 por=on states=29711 matched=25254 transitions=54965

#ifndef N
#define N 4
#endif

mtype = { number, stop };

byte sorted[N];

proctype cell(byte depth; chan left)
{
   chan right = [1] of { mtype, byte };
   byte mine, x;

   left?number(mine);
   if
   :: depth < N - 1 ->
      run cell(depth + 1, right);
      do
      :: left?number(x) ->
         if
         :: x < mine -> right!number(mine); mine = x
         :: else -> right!number(x)
         fi
      :: left?stop(_) -> right!stop(0); break
      od
   :: else -> left?stop(_)
   fi;
   sorted[depth] = mine;
   assert(mine == depth + 1)
}

init {
   chan first = [1] of { mtype, byte };
   bool sent[N + 1];
   byte n, k;

   run cell(0, first);
   do
   :: n < N ->
      select (k : 1 .. N);
      if
      :: !sent[k] -> sent[k] = true; first!number(k); n++
      :: else                       /* already sent, choose another */
      fi
   :: else -> break
   od;
   first!stop(0)
}
