// `in?0,_pid` is taken as `in?0,eval(_pid)`; SPIN overwrites `_pid`. The counts are SPIN's with `eval(_pid)`.
//
// expect verdict=holds
// expect por=off states=37 matched=31 transitions=68 errors=0
// expect por=on states=25 matched=6 transitions=31 errors=0

chan in = [3] of { byte, byte };

active [2] proctype P() {
   in??0,_pid;
   assert(_pid == 0 || _pid == 1)
}

active proctype Sender() {
   in!0,1;
   in!0,0;
   in!1,_pid;
   in?1,_pid;
   assert(len(in) == 0)
}
