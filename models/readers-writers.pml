// Readers and writers with a monitor that prefers waiting writers. Checked: a writer is alone, and
// readers never share the resource with a writer (assertions), no deadlock.
//
// expect verdict=holds
// expect por=off states=116 matched=252 transitions=368 errors=0
// expect por=on states=116 matched=252 transitions=368 errors=0
// bench -DREADERS=8 -DWRITERS=8 por=off states=1681664 matched=14022489 transitions=15704153
// bench -DREADERS=8 -DWRITERS=8 por=on states=1681664 matched=14022489 transitions=15704153

#ifndef READERS
#define READERS 3
#endif
#ifndef WRITERS
#define WRITERS 2
#endif

byte reading, writing, waiting;

active [READERS] proctype reader()
{
   do
   :: atomic { writing == 0 && waiting == 0 -> reading++ };
      assert(writing == 0);
progress_read:
      reading--
   od
}

active [WRITERS] proctype writer()
{
   do
   :: waiting++;
      atomic { reading == 0 && writing == 0 -> writing++; waiting-- };
      assert(reading == 0 && writing == 1);
      writing--
   od
}
