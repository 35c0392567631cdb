// error: line 5: `P` takes 2 arguments but is given 1
proctype P(byte a, b) { a = b }
init
{
   run P(1)
}
