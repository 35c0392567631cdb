// SPIN overlooks that the first argument of set_priority is read: the condition resets p, so that process 0 is meant.
byte done;
active proctype A() priority 2 {
  byte p = 1;
  (p == 1);
  set_priority(p, 4);
  done = done + 1
}
active proctype B() { (done < 3); assert(_priority == 4) }
