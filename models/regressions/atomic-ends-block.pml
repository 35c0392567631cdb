// An atomic sequence that ends a block goes on with what follows the block.
//
// expect verdict=violated
// expect por=off states=29 matched=13 transitions=42 errors=2
// expect por=on states=27 matched=9 transitions=36 errors=2

byte x;

active [2] proctype P() {
   { x++; atomic { x > 0 -> x = 5 } };
   x = 0
}
