// The sender goes on to offer; the receiver tires of it.
//
// expect verdict=violated kind=assertion

chan c = [0] of { byte };

active proctype B() { byte x, n; end: do :: n < 2 -> c?x; n++ :: n == 1 -> assert(false) :: n == 2 -> n = 0 od }
active proctype A() { xs c; end: do :: c!1 od }
