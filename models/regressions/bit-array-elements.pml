// The elements of an array of bits keep what a byte can hold.
//
// expect verdict=holds
// expect por=off states=8 matched=2 transitions=10 errors=0
// expect por=on states=7 matched=1 transitions=8 errors=0

byte a[3] = { 1, 1, 1 };

active proctype Writer() {
   a[0] = 3
}

active proctype Reader() {
   bool seen[2];
   seen[0] = a[0]
}
