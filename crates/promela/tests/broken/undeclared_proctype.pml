// error: line 4: proctype `Worker` is not declared
init
{
   run Worker(1)
}
