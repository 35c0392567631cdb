// error: line 2: `c_decl` is embedded C, which Quotient does not run
c_decl { int x; }
active proctype P() { skip }
