// A notrace assertion names a sequence of channel operations that must not occur: after the first
// `start`, a second one before `done`, or `done` twice. A controller starts a machine and waits for it,
// or halts it before it is finished. Checked: the notrace assertion, deadlock.
//
// expect verdict=holds
// expect por=off states=42 matched=26 transitions=68 errors=0
// expect por=on states=42 matched=18 transitions=60 errors=0

mtype = { start, halt, done };

chan command = [1] of { mtype };
chan report = [1] of { mtype };

active proctype controller()
{
   do
   :: command!start;
      if
      :: report?done
      :: command!halt; report?done
      fi
   od
}

active proctype machine()
{
   byte step;

   do
   :: command?start ->
      do
      :: step < 3 -> step++
      :: step == 3 -> break
      :: command?halt -> break
      od;
      step = 0;
      report!done
   :: command?halt                       /* came too late: drop it */
   od
}

notrace {
   command!start;
   if
   :: command!start
   :: report!done; report!done
   fi
}
