// error: line 3: this comment is never closed
active proctype P() { skip }
/* to be continued
