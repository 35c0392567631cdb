// error: line 4: `c_code` is embedded C, which Quotient does not run
active proctype P()
{
   c_code { printf("hi"); }
}
