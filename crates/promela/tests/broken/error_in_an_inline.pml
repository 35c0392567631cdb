// error: line 5: variable `y` is not declared
byte x;
inline increment(v)
{
   v = v + y
}
active proctype P()
{
   increment(x)
}
