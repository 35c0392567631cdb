// error: line 5: label `L` is declared twice
active proctype P()
{
   L: skip;
   L: skip
}
