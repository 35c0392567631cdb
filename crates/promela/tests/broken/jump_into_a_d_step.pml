// error: line 4: a jump into a d_step is not allowed
active proctype P()
{
   goto inside;
   d_step { skip; inside: skip; skip }
}
