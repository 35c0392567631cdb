// A monitor with signal-and-continue semantics: a consumer that was signalled competes for the lock
// again. Bug: the consumers test the buffer with `if` instead of `while`, so by the time one runs
// another may have taken the item (assertion). With -DWHILE the test is repeated and all is well.
//
// expect verdict=violated kind=assertion
// expect -DWHILE verdict=holds
// expect por=off states=134 matched=79 transitions=213 errors=4
// expect por=on states=134 matched=79 transitions=213 errors=4
// expect -DWHILE por=off states=128 matched=79 transitions=207 errors=0
// expect -DWHILE por=on states=128 matched=79 transitions=207 errors=0

#define SIZE 1
#define CONSUMERS 2

bit lock;
byte items;
byte waiting;            /* consumers waiting for an item */
byte signals;            /* consumers that have been woken up */

inline acquire() { atomic { !lock -> lock = 1 } }
inline release() { lock = 0 }
inline wait()
{
   atomic { waiting++; lock = 0 };
   atomic { signals > 0 -> signals-- };
   acquire()
}

active proctype producer()
{
   do
   :: acquire();
      if
      :: items < SIZE ->
         items++;
         if
         :: atomic { waiting > 0 -> waiting--; signals++ }
         :: waiting == 0
         fi
      :: else
      fi;
      release()
   od
}

active [CONSUMERS] proctype consumer()
{
   do
   :: acquire();
#ifdef WHILE
      do
      :: items == 0 -> wait()
      :: else -> break
      od;
#else
      if
      :: items == 0 -> wait()
      :: else
      fi;
#endif
      assert(items > 0);
      items = (items > 0 -> items - 1 : 0);
      release()
   od
}
