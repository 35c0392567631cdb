// error: line 2: this conditional group has no `#endif`
#ifdef N
active proctype Q() { skip }
active proctype P() { skip }
