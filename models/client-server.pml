// Client and server with dynamic process creation: the server starts one worker per request and
// passes it the client's own reply channel. Each client makes R requests and stops.
// Checked: a client gets the answer to its own question (assertion), the server ends up idle.
//
// expect verdict=holds
// expect por=off states=3133 matched=4379 transitions=7512 errors=0
// expect por=on states=459 matched=54 transitions=513 errors=0
// expect -DCLIENTS=3 -DR=1 por=off states=7114 matched=14528 transitions=21642 errors=0
// expect -DCLIENTS=3 -DR=1 por=on states=816 matched=113 transitions=929 errors=0

#ifndef CLIENTS
#define CLIENTS 2
#endif
#ifndef R
#define R 2
#endif

chan service = [1] of { chan, byte };

inline twice(x)
{
   return 2 * x
}

proctype worker(chan reply; byte question)
{
   byte result;

   result = twice(question);
   reply!result
}

active proctype server()
{
   chan c;
   byte q;

end_serve:
   do
   :: service?c, q -> run worker(c, q)
   od
}

active [CLIENTS] proctype client()
{
   chan mine = [0] of { byte };
   byte n = 1;
   byte a;

   do
   :: n <= R ->
      service!mine, n;
      mine?a;
      assert(a == 2 * n);
      n++
   :: n > R -> break
   od
}
