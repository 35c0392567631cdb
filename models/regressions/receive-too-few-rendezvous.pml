// In a rendezvous too, a receive with fewer fields is an error once they match. Checked against SPIN 6.5.2.
//
// expect verdict=violated kind=channel-misuse
// expect -DELSEWHERE verdict=holds
// expect -DELSEWHERE por=off states=1 matched=0 transitions=1 errors=0
// expect -DELSEWHERE por=on states=1 matched=0 transitions=1 errors=0

chan q = [0] of { byte, byte };

active proctype P() {
end:
   q!1,2
}

active proctype Q() {
end:
#ifdef ELSEWHERE
   q?7
#else
   q?1
#endif
}
