// Ticket lock: fetch-and-increment gives each of N processes a ticket, the lock serves them in order.
// Tickets count modulo M >= N. Checked: mutual exclusion, first come first served (a queue of the
// waiting processes is kept as ghost state), no deadlock.
//
// expect verdict=holds
// expect por=off states=7008 matched=12073 transitions=19081 errors=0
// expect por=on states=3367 matched=4610 transitions=7977 errors=0
// bench -DN=4 por=off states=230976 matched=596233 transitions=827209
// bench -DN=4 por=on states=82476 matched=162450 transitions=244926

#ifndef N
#define N 3
#endif
#ifndef M
#define M (N + 1)
#endif

byte next;               /* next ticket to hand out */
byte serving;            /* ticket being served */
chan order = [N] of { pid };

active [N] proctype process()
{
   byte mine;
   pid first;

   do
   :: skip;                                     /* non-critical section */
      atomic { mine = next; next = (next + 1) % M; order!_pid };
      (serving == mine);
      atomic { order?first; assert(first == _pid) };
      serving = (serving + 1) % M
   od
}
