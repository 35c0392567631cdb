// error: line 3: `#endif` without `#if`
active proctype P() { skip }
#endif
