// Interrupts modelled with `unless`: a main program counts and reports in a loop, a device interrupts
// it at any point, and a second, nested `unless` handles a reset that overrides everything.
// Checked: a and b agree whenever the program looks (assertion); one update is a d_step and cannot be
// interrupted, the other takes two steps and is repaired by the handlers. No deadlock.
//
// expect verdict=holds
// expect por=off states=184 matched=207 transitions=391 errors=0
// expect por=on states=184 matched=207 transitions=391 errors=0

#define MOD 4

byte a, b;                  /* always equal outside the handlers */
bool irq, reset;
byte served;

active proctype cpu()
{
restart:
   {
      do
      :: {
            do
            :: d_step { a = (a + 1) % MOD; b = (b + 1) % MOD }
            :: a = (a + 2) % MOD; b = (b + 2) % MOD
            :: assert(a == b)
            od
         } unless {
            irq ->
            b = a;                          /* the two-step update may have been cut in half */
            irq = false;
            served = (served + 1) % 2
         }
      od
   } unless {
      atomic { reset -> reset = false; irq = false; a = 0; b = 0 }
   };
   goto restart
}

active proctype device()
{
   do
   :: atomic { !irq -> irq = true }
   od
}

active proctype operator()
{
   do
   :: atomic { !reset -> reset = true }
   od
}
