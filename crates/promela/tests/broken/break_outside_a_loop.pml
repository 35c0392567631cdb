// error: line 4: `break` outside a loop
active proctype P()
{
   if :: break fi
}
