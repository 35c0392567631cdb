// error: line 4: `return` outside an inline
active proctype P()
{
   return 1
}
