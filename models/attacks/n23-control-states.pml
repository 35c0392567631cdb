// What tells control states apart: which of them a process may rest in, which escape comes first, which number they have,
// in what order `enabled` tries options, and that control can be lost inside an atomic sequence.
//
// expect verdict=violated kind=invalid-end-state
// expect -DV=1 verdict=violated kind=invalid-end-state
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=violated kind=assertion
// expect -DV=4 verdict=violated kind=assertion kind=invalid-end-state
// expect -DV=5 verdict=violated kind=enabled-circle
// expect -DV=6 verdict=violated kind=assertion
// expect -DV=7 verdict=holds

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

bool f[2], go, n, c;
byte x, w = 9;

active [2] proctype P()
{
end:
   do
#if V == 4
   :: atomic { x = 0; c -> if :: x == 0 -> skip :: else -> w = 0 fi; c = 0 }
   :: atomic { !c -> x = 1; c = 1 }
   :: atomic { w == _pid -> w = 9; assert(!c) }
#elif V == 2 || V == 3
   :: f[_pid] = 1
   :: atomic { n && f[_pid] -> assert(false) }
#else
   :: atomic { !go -> go = 1; f[_pid] = 1 }
#endif
#if V == 6
   :: atomic { go && x == 0 -> x = pc_value(2) }
   :: atomic { f[_pid] && x > 3 -> assert(false) }
#endif
   od
}

#if V != 4
active proctype S()
{
#if V < 2
   go;
   if
   :: f[ONE] -> end0: false
   :: f[OTHER] -> false
   fi
#elif V < 4
   f[0] && f[1];
   {
      {
end:     false
      } unless {
         d_step { f[ONE] -> f[ONE] = 0; n = 1 }
      }
   } unless {
      d_step { f[OTHER] -> f[OTHER] = 0; n = 1 }
   };
end1:
   false
#elif V == 5
   go;
end:
   do
   :: f[0] -> skip
   :: enabled(2) -> skip
   :: f[1] -> skip
   od
#else
end:
   if
   :: f[0] -> end0: false
   :: f[1] -> end1: false
   fi
#endif
}
#endif
