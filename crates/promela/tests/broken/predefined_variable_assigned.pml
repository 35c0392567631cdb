// error: line 4: `_pid` cannot be assigned
active proctype P()
{
   _pid = 1
}
