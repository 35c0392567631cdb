// A trace assertion: all requests and grants on two global channels must alternate as
// request, grant, request, grant. Two clients share one server; the buffers have one slot each and a
// client may only ask after its predecessor was answered. Checked: the trace assertion, deadlock.
//
// expect verdict=holds
// expect por=off states=702 matched=510 transitions=1212 errors=0
// expect por=on states=230 matched=12 transitions=242 errors=0

mtype = { request, grant };

chan ask = [1] of { mtype, byte };
chan get = [1] of { mtype, byte };
bool free = true;

active proctype server()
{
   byte who;

end:
   do
   :: ask?request(who) -> get!grant(who)
   od
}

proctype client(byte me)
{
   byte n;

   for (n : 1 .. 3) {
      atomic { free -> free = false };
      ask!request(me);
      get?grant(eval(me));
      free = true
   }
}

init {
   atomic {
      run client(1);
      run client(2)
   }
}

trace {
end_between:
   do
   :: ask!request(_);
      get!grant(_);
      if
      :: get?grant(1)
      :: get?grant(2)
      fi
   od
}
