// While a rendezvous is offered, other processes are asked whether they receive it. That they would use a promised channel
// is no event of the run that leads there.
//
// expect verdict=holds promise=broken
// expect -DV=1 verdict=holds promise=broken
// expect -DV=2 verdict=violated kind=assertion promise=broken
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
chan q = [2] of { byte };
chan rv = [0] of { byte };

proctype P(byte id)
{
   xr q;
end:
   do
   :: atomic { rv!id }
   :: atomic { q?eval(id) }
   od
}

init { atomic { run P(1); run P(2) } }
#elif V == 1
chan q = [2] of { byte };
chan rv = [0] of { byte };

active proctype Q() { byte v; end: do :: q?v od }
active proctype P() { xr q; end: do :: rv!1 od }
#elif V == 2
chan q = [2] of { byte };
chan rv = [0] of { byte };

active proctype Q() { byte v; end: do :: q?v :: rv?v -> assert(v != 1) od }
active proctype P() { xr q; end: do :: rv!1 od }
#elif V == 3
chan q = [2] of { byte };
chan rv = [0] of { byte };

active proctype Q() { byte v; end: do :: rv?v od }
active proctype P() { xr q; byte v; end: do :: rv!1 :: q?v od }
#endif
