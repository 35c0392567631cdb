// error: line 5: index 3 is outside the array
byte a[3];
active proctype P()
{
   a[3] = 1
}
