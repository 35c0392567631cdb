// Traffic lights at a crossing: two deterministic light controllers take turns by message, cars pass on
// green. Checked: never green or amber in both directions, no car in the crossing when the other
// direction turns green (assertions), no deadlock.
//
// expect verdict=holds
// expect por=off states=35 matched=26 transitions=61 errors=0
// expect por=on states=35 matched=26 transitions=61 errors=0

#define NS 0
#define EW 1

mtype:light = { red, amber, green };

mtype:light light[2] = red;
byte crossing[2];                      /* cars in the crossing, per direction */
chan baton[2] = [1] of { bit };

D_proctype controller(byte way; byte other)
{
   do
   :: baton[way]?1;
      assert(light[other] == red && crossing[other] == 0);
      light[way] = green;
      light[way] = amber;
      (crossing[way] == 0);            /* amber lasts until the crossing is clear */
      light[way] = red;
      baton[other]!1
   od
}

proctype car(byte way)
{
   do
   :: atomic { light[way] == green -> crossing[way]++ };
      assert(crossing[1 - way] == 0 && light[1 - way] == red);
      crossing[way]--
   od
}

init {
   atomic {
      run controller(NS, EW);
      run controller(EW, NS);
      run car(NS);
      run car(NS);
      run car(EW);
      baton[NS]!1
   }
}
