// error: line 5: `99999999999` is too large
int x;
active proctype P()
{
   x = 99999999999
}
