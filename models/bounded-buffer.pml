// Producers and consumers with a circular buffer and counting semaphores (as in an operating system
// text book). Checked: items of one producer are consumed in the order produced, no slot is read
// empty or overwritten (assertions), no deadlock.
//
// expect verdict=holds
// expect por=off states=965 matched=705 transitions=1670 errors=0
// expect por=on states=965 matched=609 transitions=1574 errors=0

#define SIZE 2
#define PRODUCERS 2
#define EMPTY 0

unsigned free_slots : 3 = SIZE;
unsigned items : 3;
bit mutex = 1;
short buffer[SIZE];             /* 2 * producer + sequence bit + 1, or EMPTY */
byte in_at, out_at;
bit expected[PRODUCERS];

inline P(semaphore) { atomic { semaphore > 0 -> semaphore-- } }
inline V(semaphore) { semaphore++ }

proctype producer(byte me)
{
   bit n;

   do
   :: P(free_slots);
      P(mutex);
      assert(buffer[in_at] == EMPTY);
      buffer[in_at] = 2 * me + n + 1;
      in_at = (in_at + 1) % SIZE;
      n = 1 - n;
      V(mutex);
      V(items)
   od
}

proctype consumer()
{
   short item;

   do
   :: P(items);
      P(mutex);
      item = buffer[out_at];
      assert(item != EMPTY);
      d_step {
         assert(expected[(item - 1) / 2] == (item - 1) % 2);
         expected[(item - 1) / 2] = 1 - expected[(item - 1) / 2];
         item = EMPTY
      };
      buffer[out_at] = EMPTY;
      out_at = (out_at + 1) % SIZE;
      V(mutex);
      V(free_slots)
   od
}

init {
   atomic {
      run producer(0);
      run producer(1);
      run consumer();
   }
}
