// error: line 5: a constant is needed here
active proctype P()
{
   byte n = 3;
   byte a[n * 2];
   a[0] = 1
}
