// Transfers between bank accounts, each protected by its own lock. Bug: a transfer locks the source
// account first, so two transfers in opposite directions deadlock (invalid end state). With -DORDERED
// the lower numbered account is locked first. Checked: no money is lost (assertion), deadlock.
//
// expect verdict=violated kind=invalid-end-state
// expect -DORDERED verdict=holds
// expect por=off states=2584 matched=3522 transitions=6106 errors=20
// expect por=on states=905 matched=681 transitions=1586 errors=20
// expect -DORDERED por=off states=2520 matched=3380 transitions=5900 errors=0
// expect -DORDERED por=on states=865 matched=600 transitions=1465 errors=0

#define ACCOUNTS 3

int balance[ACCOUNTS] = { 1, 1, 1 };
bool locked[ACCOUNTS];

proctype transfer(byte source; byte target)
{
   byte first, second;
   int amount;

#ifdef ORDERED
   first = (source < target -> source : target);
   second = (source < target -> target : source);
#else
   first = source;
   second = target;
#endif
   do
   :: atomic { !locked[first] -> locked[first] = true };
      atomic { !locked[second] -> locked[second] = true };
      amount = balance[source];
      balance[source] = balance[source] - amount;
      balance[target] = balance[target] + amount;
      amount = 0;
      locked[second] = false;
      locked[first] = false
   od
}

active proctype auditor()
{
   do
   :: atomic {
         !locked[0] && !locked[1] && !locked[2] ->
         assert(balance[0] + balance[1] + balance[2] == ACCOUNTS)
      };
      break
   od
}

init {
   atomic {
      run transfer(0, 1);
      run transfer(1, 2);
      run transfer(2, 0)
   }
}
