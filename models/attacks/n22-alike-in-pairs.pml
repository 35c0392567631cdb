// The first member can be exchanged with each of the others, but not all of them with each other, as far as that can be
// proved: the search for parts of the family that are alike must come to an end.
//
// expect verdict=violated kind=assertion

byte x = 1;
bool f[4], c;
proctype P(byte i)
{
end:
   do
   :: atomic { !c -> c = 1; f[i] = 1 }
   :: atomic { c && x == i -> x = x }
   :: atomic { f[i] && i == 2 - (x == 2) -> assert(false) }
   od
}
init { atomic { run P(1); run P(2); run P(3) } }
