// A trace sees the order of sends on two channels, although each has but one sender. (SPIN's reduction misses it.)
//
// expect verdict=violated kind=trace
// expect -DV=1 verdict=violated kind=trace kind=invalid-end-state
// expect -DV=2 verdict=violated kind=trace
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
chan q = [2] of { byte };
chan r = [2] of { byte };

active proctype A() { xs q; q!1 }
active proctype B() { xs r; r!1 }

notrace { q!1; r!1 }
#elif V == 1
chan q = [2] of { byte };
chan r = [2] of { byte };

active proctype A() { xs q; q!1; end: do :: false od }
active proctype B() { xs r; r!1; end: do :: false od }

trace { r!1; q!1 }
#elif V == 2
chan q = [2] of { byte };
chan r = [2] of { byte };

active proctype S() { d_step { q!1; r!1 } }
active proctype A() { xr q; byte v; end: q?v }
active proctype B() { xr r; byte v; end: r?v }

notrace { q?1; r?1 }
#elif V == 3
chan q = [2] of { byte };
chan r = [2] of { byte };

active proctype A() { xs q; q!1 }
active proctype B() { xs r; r!1 }

trace { end: do :: q!1 :: r!1 od }
#endif
