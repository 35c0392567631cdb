// error: line 7: `t` is a structure; a value is needed here
typedef T { byte a, b };
T t;
byte x;
active proctype P()
{
   x = t
}
