// Publish/subscribe: subscribers register for topics with a broker, a publisher sends news on two
// topics, the broker forwards each item to whoever is subscribed at that moment.
// Checked: a subscriber only gets topics it asked for, in the order of publication (assertions), and
// nobody is stuck at the end.
//
// expect verdict=holds
// expect por=off states=64665 matched=122414 transitions=187079 errors=0
// expect por=on states=15884 matched=4850 transitions=20734 errors=0

#define SUBS  2
#define ITEMS 3

mtype:request = { subscribe, unsubscribe, publish };
mtype:topic = { sports, weather };

typedef Subscription { bool wants[3] };       /* indexed by topic, 1 and 2 */

chan broker_in = [2] of { mtype:request, mtype:topic, byte };
chan inbox[SUBS] = [2] of { mtype:topic, byte };
Subscription table[SUBS];

active proctype broker()
{
   mtype:topic t;
   byte x, i;

end_wait:
   do
   :: broker_in?subscribe, t, x -> table[x].wants[t] = true
   :: broker_in?unsubscribe, t, x -> table[x].wants[t] = false
   :: broker_in?publish, t, x ->
      for (i in inbox) {
         if
         :: table[i].wants[t] -> inbox[i]!t, x
         :: else
         fi
      };
      i = 0
   od
}

active proctype publisher()
{
   byte n = 1;

   do
   :: n <= ITEMS ->
      if
      :: broker_in!publish, sports, n
      :: broker_in!publish, weather, n
      fi;
      n++
   :: else -> break
   od
}

proctype subscriber(byte me; mtype:topic likes)
{
   mtype:topic t;
   byte last, n;

   broker_in!subscribe, likes, me;
end_read:
   do
   :: inbox[me]?t, n ->
      assert(t == likes);
      assert(n > last);
      last = n
   :: last > 0 ->
      broker_in!unsubscribe, likes, me;
      break
   od;
end_drain:
   do
   :: inbox[me]?_, _
   od
}

init {
   atomic {
      run subscriber(0, sports);
      run subscriber(1, weather)
   }
}
