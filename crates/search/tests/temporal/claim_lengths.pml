/* What channels hold, in a claim. */
chan c = [2] of { byte };
active proctype A() { do :: c!1 :: c!2 od }
active proctype B() { do :: c?_ od }
never {
  do
  :: len(c) < 2
  :: nfull(c) && c?[2] -> break
  od;
accept: do :: nempty(c) :: len(c) == 0 && empty(c) od
}
