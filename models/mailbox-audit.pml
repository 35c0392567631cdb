// Money in transit: N branches send amounts to each other through mailboxes of typed messages; an
// auditor iterates over the mailboxes without emptying them (`for (m in channel)`) in one atomic step.
// Checked: balances plus amounts in the mail add up (assertion), branches can always go on.
//
// expect verdict=holds
// expect por=off states=163 matched=482 transitions=645 errors=0
// expect por=on states=163 matched=481 transitions=644 errors=0

#define N 2
#define TOTAL 4

typedef Transfer { byte amount; bit urgent };

chan mail0 = [2] of { Transfer };
chan mail1 = [2] of { Transfer };
byte balance[N] = TOTAL / N;

proctype branch(byte me; chan in; chan out)
{
   Transfer t;
   byte x;

   do
   :: atomic {
         balance[me] > 0 && nfull(out) ->
         select (x : 1 .. 2);
         t.amount = (x > balance[me] -> balance[me] : x);
         x = 0;
         t.urgent = (t.amount == 2);
         balance[me] = balance[me] - t.amount;
         out!t;
         t.amount = 0;
         t.urgent = 0
      }
   :: atomic {
         in?t ->
         balance[me] = balance[me] + t.amount;
         assert(t.urgent == (t.amount == 2));
         t.amount = 0;
         t.urgent = 0
      }
   od
}

active proctype auditor()
{
   Transfer t;
   byte sum;

   do
   :: atomic {
         sum = balance[0] + balance[1];
         for (t in mail0) {
            sum = sum + t.amount
         };
         for (t in mail1) {
            sum = sum + t.amount
         };
         assert(sum == TOTAL);
         sum = 0;
         t.amount = 0;
         t.urgent = 0
      }
   od
}

init {
   atomic {
      run branch(0, mail0, mail1);
      run branch(1, mail1, mail0)
   }
}
