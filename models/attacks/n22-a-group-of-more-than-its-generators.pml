// Members can be exchanged with the first one as things are in the beginning, but not with each other afterwards: a renaming
// must commute in renamed states, too, with values that no state that is reached has.
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
#define ODD i == 2 - (x == 2)
#elif V == 1
#define ODD i == 3 - 2 * (x == 3)
#else
#define ODD i == x && !f[x]
#endif

byte x = 1;
bool f[4], c;

proctype P(byte i)
{
end:
   do
   :: atomic { !c -> c = 1; f[i] = 1 }
   :: atomic { c && x == i -> x = x }
   :: atomic { f[i] && ODD -> assert(false) }
   od
}

init
{
   atomic { run P(1); run P(2); run P(3) }
}
