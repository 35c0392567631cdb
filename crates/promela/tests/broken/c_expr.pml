// error: line 4: `c_expr` is embedded C, which Quotient does not run
active proctype P()
{
   c_expr { 1 } -> skip
}
