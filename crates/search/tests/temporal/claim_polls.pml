/* What a channel holds, in a variable of a claim. */
chan c = [2] of { byte };
active proctype P() { byte i; do :: c!i; i = 1 - i :: c?_ od }
never {
  bool isfull, one;
  do
  :: isfull = full(c)
  :: one = c?[1]
  :: isfull && one -> break
  od;
accept: do :: len(c) < 3 od
}
