// error: line 7: `t` is a structure; a value is needed here
// error: line 8: `t` is a structure and cannot be assigned as a whole
// error: line 9: `t` is a structure and cannot be assigned as a whole
typedef T { byte f }
active proctype P() {
  T t;
  assert(t == 0);
  t = 3;
  t++
}
