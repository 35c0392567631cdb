// The order of options matters: for a d_step that begins with `else`, for the options inside a d_step, and where a
// variable gathers values in two ways.
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=violated kind=assertion
// expect -DV=4 verdict=violated kind=assertion
// expect -DV=5 verdict=violated kind=assertion
// expect -DV=6 verdict=holds

#ifndef V
#define V 0
#endif

#if V % 2
#define ONE 1
#define OTHER 0
#else
#define ONE 0
#define OTHER 1
#endif

bool f[2], go;
byte x;

active [2] proctype P()
{
end:
   do
   :: atomic { !go -> go = 1; f[_pid] = 1 }
#if V == 4
   :: atomic { x == 2 && f[_pid] -> assert(false) }
#else
   :: atomic { x == 1 && f[_pid] -> assert(V == 6) }
#endif
   od
}

active proctype S()
{
   go;
end:
   do
#if V < 2
   :: f[ONE] -> skip
   :: d_step { else -> x = 1 }
   :: f[OTHER] -> skip
#elif V < 4
   :: d_step { x = 0; if :: f[ONE] -> x = 1 :: go -> x = 2 :: f[OTHER] -> x = 1 :: else fi }
#elif V < 6
   :: d_step {
         x < 1;
         if :: f[0] -> x = x + 1 :: else -> x = x | 1 fi;
         if :: f[1] -> x = x + 1 :: else -> x = x | 1 fi
      }
#else
   :: d_step { x = 0; if :: f[0] || f[1] -> x = 1 :: else fi }
#endif
   od
}
