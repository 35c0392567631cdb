// error: line 6: `t` is a structure and cannot be assigned as a whole
typedef T { byte a, b };
T t;
active proctype P()
{
   t = 1
}
