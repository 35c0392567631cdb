// The ids of a family are not next to each other, because processes of another type are created in between.
//
// expect verdict=holds
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
bool f[4];

proctype P()
{
end:
   do
   :: f[_pid] = 1
   od
}

proctype Q()
{
end:
   do
   :: skip
   od
}

init
{
   atomic { run P(); run Q(); run P() }
}
#elif V == 1
bool f[4];
bool go;

proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 1 }
   :: atomic { f[1] -> assert(false) }
   od
}

proctype Q()
{
end:
   do
   :: false
   od
}

init
{
   atomic { run P(); run Q(); run P() }
}
#elif V == 2
byte t;

proctype P()
{
end:
   do
   :: atomic { t == 0 -> t = _pid }
   :: atomic { t == 2 -> assert(false) }
   od
}

proctype Q()
{
end:
   do
   :: false
   od
}

init
{
   atomic { run P(); run P(); run Q(); run P(); run Q() }
}
#elif V == 3
bool f[6];
byte t;

proctype P()
{
end:
   do
   :: atomic { t == 0 -> t = _pid; f[t] = 1 }
   :: atomic { t == _pid -> assert(f[t]); f[t] = 0; t = 0 }
   od
}

proctype Q()
{
end:
   do
   :: false
   od
}

init
{
   atomic { run P(); run Q(); run P(); run Q(); run P() }
}
#endif
