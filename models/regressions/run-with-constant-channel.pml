// Arguments of run that nobody writes leave it a local step.
//
// expect verdict=holds
// expect por=off states=9 matched=2 transitions=11 errors=0
// expect por=on states=9 matched=1 transitions=10 errors=0

chan c[2] = [1] of { byte };

proctype P(chan own) {
   own!1
}

init {
   atomic { run P(c[0]); run P(c[1]) }
}
