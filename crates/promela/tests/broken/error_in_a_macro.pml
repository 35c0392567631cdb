// error: line 6: variable `y` is not declared
#define INCREMENT(v) v = v + y
byte x;
active proctype P()
{
   INCREMENT(x)
}
