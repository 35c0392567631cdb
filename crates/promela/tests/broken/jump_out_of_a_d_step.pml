// error: line 4: a jump out of a d_step is not allowed
active proctype P()
{
   d_step { skip; goto out };
   out: skip
}
