// error: line 5: `a` is an array; an index is missing
byte a[3];
active proctype P()
{
   a = 1
}
