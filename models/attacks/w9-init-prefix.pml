// An active family is there before `init` has created a server, and what `init` does first names one member.
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=holds

#ifndef V
#define V 0
#endif

#if V == 0
bool f[2], go, up;

active [2] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 1 }
   :: atomic { up && go && !f[0] && !f[1] -> assert(false) }
   od
}

proctype Q()
{
   up = 1;
end:
   do
   :: false
   od
}

init
{
   atomic { f[0] = 0; run Q() }
}
#elif V == 1
bool f[2], go, up;

active [2] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 1 }
   :: atomic { up && go && !f[0] && !f[1] -> assert(false) }
   od
}

proctype Q()
{
   up = 1;
end:
   do
   :: false
   od
}

init
{
   f[1] = 0; run Q()
}
#elif V == 2
bool f[3], go, up;

active [3] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 1 }
   :: atomic { up && go && !f[0] && !f[1] && !f[2] -> assert(false) }
   od
}

proctype Q()
{
   up = 1;
end:
   do
   :: false
   od
}

init
{
   atomic { f[2] = 0; run Q() }
}
#elif V == 3
bool f[2], go, up;

active [2] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 1 }
   :: atomic { up && go && !f[0] && !f[1] -> assert(false) }
   od
}

proctype Q()
{
   up = 1;
end:
   do
   :: false
   od
}

init
{
   atomic { up = 0; run Q() }
}
#endif
