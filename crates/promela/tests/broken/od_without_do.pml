// error: line 5: `od` without `do`
active proctype P()
{
   skip;
   od
}
