// A send with fewer fields than the messages waits until the channel has room, and is an error then. Checked against
// SPIN 6.5.2 ("too few parameters in send stmnt").
//
// expect verdict=violated kind=channel-misuse
// expect -DFULL verdict=holds
// expect -DFULL por=off states=2 matched=0 transitions=2 errors=0
// expect -DFULL por=on states=2 matched=0 transitions=2 errors=0

#ifdef FULL
chan q = [1] of { byte, byte };
#else
chan q = [2] of { byte, byte };
#endif

active proctype P() {
   q!1,2;
end:
   q!1
}
