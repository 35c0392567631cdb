// error: line 4: expected a string, which `printf` needs first, found `1`
active proctype P()
{
   printf(1)
}
