// error: line 6: the macro `SUM` takes 2 arguments, not 1
byte x;
#define SUM(a, b) (a + b)
active proctype P()
{
   x = SUM(1)
}
