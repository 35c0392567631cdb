// error: line 6: there is no field `b`
typedef T { byte a };
T t;
active proctype P()
{
   t.b = 1
}
