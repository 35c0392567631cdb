// error: line 2: the condition ends where a value is expected
#if 1 +
#endif
active proctype P() { skip }
