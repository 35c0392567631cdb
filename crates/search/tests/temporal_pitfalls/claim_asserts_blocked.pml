// early: violated, violated, violated
// later: violated, violated, violated
// never_there: holds, holds, holds

/* An assertion inside an atomic sequence of a claim fails, and the sequence cannot be followed to its end. */

byte x;

active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }

never early { do :: atomic { assert(x != 2); x == 5 } :: true od }

never later { do :: atomic { x > 0; assert(x != 2 || x == 5); x == 1 } :: true od }

never never_there { do :: atomic { assert(x != 5); x == 5 } :: true od }
