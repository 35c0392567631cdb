// error: line 4: variable `c` is not declared
active proctype P()
{
   c!1
}
