// A promise about a field of one element of an array of structures says nothing about the same field of another one.
//
// expect verdict=violated kind=assertion

typedef box { chan in; chan out };
box b[2];
chan x = [2] of { byte };
chan y = [2] of { byte };

init {
   atomic { b[0].in = x; b[1].in = y; d_step { y!1; y!2 }; run A(); run B(); run C() }
}
proctype A() { xr b[0].in; byte v; end: b[0].in?v }
proctype B() { xr b[0].in; byte v; end: b[1].in?v; assert(v != 1) }
proctype C() { byte v; end: b[1].in?v }
