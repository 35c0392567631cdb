// Interrupts modelled with `unless`: a main program counts and reports in a loop, a device interrupts
// it at any point, and a second, nested `unless` handles a reset that overrides everything.
// Checked: handlers see a consistent view, since the two-step update is guarded by a d_step (which is
// not interrupted) and the atomic one is repaired by the handler (assertions); no deadlock.
//
// expect verdict=holds
// expect por=off states=136 matched=167 transitions=303 errors=0
// expect por=on states=136 matched=167 transitions=303 errors=0

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
            :: atomic { a = (a + 2) % MOD; b = (b + 2) % MOD }
            :: assert(a == b)
            od
         } unless {
            irq ->
            b = a;                          /* the atomic update may have been cut in half */
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
