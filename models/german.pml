// German's directory protocol for cache coherence, over a scalarset of clients. A client asks home for a shared or an
// exclusive copy; home has other copies given up first. What home does with one client is a process of its own.
// benches/rumur/german.m is the same in Murphi, state by state.
// Checked: an exclusive copy is the only one (assertions), no deadlock.
// With -DHASTY home grants an exclusive copy while there are shared ones (bug: assertion violated).
//
// expect verdict=holds
// expect -DN=2 -DHASTY verdict=violated kind=assertion
// expect -DN=2 por=off states=1461 matched=2404 transitions=3865 errors=0
// expect -DN=2 por=on states=1461 matched=2404 transitions=3865 errors=0
// expect por=off states=27513 matched=82216 transitions=109729 errors=0
// expect por=on states=27513 matched=82216 transitions=109729 errors=0
// expect -DN=2 -DHASTY por=off states=98865 matched=215544 transitions=314409 errors=43244
// expect -DN=2 -DHASTY por=on states=98865 matched=215544 transitions=314409 errors=43244
// bench -DN=4 por=off states=544617 matched=2367928 transitions=2912545

#ifndef N
#define N 3
#endif

scalarset CLIENT[N];

mtype = { ask_shared, ask_exclusive, give_up, given_up, grant_shared, grant_exclusive };
mtype:line = { exclusive, shared, invalid };

chan request[CLIENT] = [1] of { mtype };     /* client to home */
chan reply[CLIENT] = [1] of { mtype };       /* home to client */
chan answer[CLIENT] = [1] of { mtype };      /* client to home */

mtype:line cache[CLIENT] = invalid;
bool sharer[CLIENT];             /* what home knows of copies */
bool pending[CLIENT];            /* still to be told to give up */
bool exclusively;                /* the copy there is is exclusive */
mtype command;                   /* what is being served; 0: nothing */
CLIENT current;                  /* for whom */

#ifdef HASTY
#define NO_SHARER true
#else
#define NO_SHARER (forall (c : CLIENT) (!sharer[c]))
#endif

active [CLIENT] proctype client(CLIENT me)
{
   do
   :: atomic { empty(request[me]) && cache[me] == invalid -> request[me]!ask_shared }
   :: atomic { empty(request[me]) && cache[me] != exclusive -> request[me]!ask_exclusive }
   :: atomic { reply[me]?[give_up] && empty(answer[me]) ->
         reply[me]?give_up; answer[me]!given_up; cache[me] = invalid
      }
   :: atomic { reply[me]?grant_shared ->
         cache[me] = shared;
         assert(forall (c : CLIENT) (cache[c] != exclusive))
      }
   :: atomic { reply[me]?grant_exclusive ->
         cache[me] = exclusive;
         assert(forall (c : CLIENT) (c == me || cache[c] == invalid))
      }
   od
}

active [CLIENT] proctype home(CLIENT me)
{
   do
   :: atomic { command == 0 && nempty(request[me]) ->
         request[me]?command;
         current = me;
         for (c : CLIENT) { pending[c] = sharer[c] }
      }
   :: atomic { pending[me] && empty(reply[me]) && (command == ask_exclusive || command == ask_shared && exclusively) ->
         pending[me] = false;
         reply[me]!give_up
      }
   :: atomic { command != 0 && nempty(answer[me]) ->
         answer[me]?given_up;
         sharer[me] = false;
         exclusively = false
      }
   :: atomic { command == ask_shared && current == me && !exclusively && empty(reply[me]) ->
         reply[me]!grant_shared;
         sharer[me] = true;
         command = 0;
         current = undef
      }
   :: atomic { command == ask_exclusive && current == me && !exclusively && empty(reply[me]) && NO_SHARER ->
         reply[me]!grant_exclusive;
         sharer[me] = true;
         exclusively = true;
         command = 0;
         current = undef
      }
   od
}
