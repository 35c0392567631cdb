// error: line 5: `P` takes 1 argument but is given 2
proctype P(byte a) { a = 1 }
init
{
   run P(1, 2)
}
