// What `init` does before all processes exist depends on what others have done by then: by an option that was not taken, by
// a channel that is full or holds a message, by a variable that holds another channel.
//
// expect verdict=violated kind=assertion
// expect -DV=1 verdict=violated kind=assertion
// expect -DV=2 verdict=violated kind=assertion
// expect -DV=3 verdict=violated kind=assertion
// expect -DV=4 verdict=violated kind=assertion
// expect -DV=5 verdict=violated kind=assertion
// expect -DV=6 verdict=violated kind=assertion
// expect -DV=7 verdict=violated kind=assertion
// expect -DV=8 verdict=holds

#ifndef V
#define V 0
#endif

byte x, y, z;
bool c;
chan q = [1] of { byte }, r = [1] of { byte };
chan to = q;

#if V == 2 || V == 3 || V == 4
#define DISTURB q!1
#elif V == 6
#define DISTURB to = r
#else
#define DISTURB x = 1
#endif

#if V == 7
#define ODD i * z == 2
#else
#define ODD i * z == 4
#endif

proctype P(byte i)
{
end:
   do
   :: DISTURB
#if V == 6
   :: r?z
#endif
   :: !c -> c = 1; break
   od;
end2:
   do
   :: atomic { ODD -> assert(false) }
   od
}

init
{
   byte v;
   run P(1);
#if V == 0 || V == 7
   if
   :: x == 1 -> z = 2
   :: else
   fi;
#elif V == 1
   if
   :: y == 0
   :: x == 1 -> z = 2
   fi;
#elif V == 2
   d_step {
      if
      :: q?v -> z = 2
      :: else
      fi
   };
#elif V == 3
   d_step {
      if
      :: q!1
      :: else -> z = 2
      fi
   };
#elif V == 4
   if
   :: q!1
   :: else -> z = 2
   fi;
#elif V == 5
   {
      y = 0; y = 0
   } unless {
      x == 1 -> z = 2
   };
#elif V == 6
   to!2;
#else
   if
   :: y == 1 -> z = 2
   :: else
   fi;
#endif
   run P(2)
}
