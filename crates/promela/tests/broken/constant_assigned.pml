// error: line 5: `red` cannot be assigned
mtype = { red };
active proctype P()
{
   red = 1
}
