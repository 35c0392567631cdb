// error: line 5: expected `::` after `do`, found `skip`
active proctype P()
{
   do
   skip
   od
}
