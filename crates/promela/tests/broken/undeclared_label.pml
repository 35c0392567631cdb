// error: line 4: label `away` is not declared in this process
active proctype P()
{
   goto away
}
