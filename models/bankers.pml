// The banker's algorithm: N customers borrow units one by one up to their claim and then return all.
// The banker grants a unit only if the resulting state is safe, i.e. all customers can finish in some
// order. Checked: the cash adds up (assertion), no deadlock. With -DRECKLESS the banker grants
// whatever it has, and customers deadlock (invalid end state).
//
// expect verdict=holds
// expect -DRECKLESS verdict=violated kind=invalid-end-state
// expect por=off states=914 matched=1526 transitions=2440 errors=0
// expect por=on states=914 matched=1526 transitions=2440 errors=0
// expect -DRECKLESS por=off states=1106 matched=1754 transitions=2860 errors=9
// expect -DRECKLESS por=on states=1106 matched=1754 transitions=2860 errors=9

#define N    3
#define CASH 6

typedef Customer { byte claim; byte loan; bool done };

Customer c[N];
byte cash = CASH;
chan ask = [0] of { byte };
chan repay = [0] of { byte };
bool safe;

/* can everybody finish, whatever they still claim? */
inline check()
{
   left = cash;
   found = true;
   do
   :: found ->
      found = false;
      i = 0;
      do
      :: i < N ->
         if
         :: !c[i].done && c[i].claim - c[i].loan <= left ->
            c[i].done = true;
            left = left + c[i].loan;
            found = true
         :: else
         fi;
         i++
      :: else -> break
      od
   :: else -> break
   od;
   safe = c[0].done && c[1].done && c[2].done;
   i = 0;
   do
   :: i < N -> c[i].done = false; i++
   :: else -> break
   od;
   i = 0;
   left = 0
}

inline grant()
{
   d_step {
      cash--;
      c[who].loan++;
      check();
#ifndef RECKLESS
      if
      :: !safe -> cash++; c[who].loan--            /* refuse, the customer will ask again */
      :: else
      fi;
#endif
      who = 0;
      safe = false
   }
}

inline take_back()
{
   d_step { cash = cash + c[who].loan; c[who].loan = 0; who = 0 };
   assert(cash + c[0].loan + c[1].loan + c[2].loan == CASH)
}

active proctype banker()
{
   byte who, i, left;
   bool found;

   do
   :: cash == 0 ->                                 /* nothing left to lend (only the banker changes */
      atomic { repay?who; take_back() }            /* `cash`, so this cannot become false meanwhile) */
   :: cash > 0 ->
      if
      :: atomic { ask?who -> grant() }
      :: atomic { repay?who -> take_back() }
      fi
   od
}

proctype customer(byte me)
{
   do
   :: c[me].loan < c[me].claim -> ask!me
   :: c[me].loan == c[me].claim -> repay!me
   od
}

init {
   atomic {
      c[0].claim = 3;
      c[1].claim = 4;
      c[2].claim = 5;
      run customer(0);
      run customer(1);
      run customer(2)
   }
}
